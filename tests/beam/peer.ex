defmodule Peer do
  @moduledoc "What the tests in Elixir share. Each runs as `elixir FILE PEER [ARGS..]`."
  import ExUnit.Assertions

  @patience_ms 30_000

  def open([peer | args], options \\ []) do
    Port.open({:spawn_executable, peer}, [:binary, {:packet, 4}, :exit_status, {:args, args} | options])
  end

  # One request and its reply, which must carry the request's id.
  def call(port, request) do
    Port.command(port, :jiffy.encode(request))
    reply = reply(port)
    assert reply["id"] == request.id
    reply
  end

  def reply(port) do
    receive do
      {^port, {:data, body}} -> :jiffy.decode(body, [:return_maps])
      {^port, {:exit_status, status}} -> flunk("the peer exited with #{status}")
    after
      @patience_ms -> flunk("no reply")
    end
  end

  def reset(port, id) do
    reply = call(port, %{id: id, command: "reset", sensor_ids: ["patch"]})
    assert reply["ok"] == true
    reply
  end

  def action(name, keys), do: Map.merge(keys, %{action: name, agent_id: "agent_id_0"})

  # Steps that keep the peer busy: many actions each, so that it is inside one whenever its owner goes.
  # The sender is suspended while the pipe is full, and ends quietly with the port.
  def flood(port, ids) do
    actions = List.duplicate(action("turn_left", %{rotation_degrees: 0.01}), 20_000)

    spawn(fn ->
      try do
        for id <- ids, do: Port.command(port, :jiffy.encode(%{id: id, command: "step", actions: actions}))
      rescue
        ArgumentError -> :the_port_is_closed
      end
    end)
  end

  def os_pid(port) do
    {:os_pid, pid} = Port.info(port, :os_pid)
    pid
  end

  # Waits for the process to end. A zombie has ended: PID 1 does not reap orphans in every container.
  def ended_within?(pid, ms), do: ended_by?(pid, System.monotonic_time(:millisecond) + ms)

  defp ended_by?(pid, deadline) do
    cond do
      not running?(pid) -> true
      System.monotonic_time(:millisecond) > deadline -> false
      true -> Process.sleep(5) && ended_by?(pid, deadline)
    end
  end

  def running?(pid) do
    case File.read("/proc/#{pid}/stat") do
      {:ok, stat} -> not Regex.match?(~r/\) [ZX] /, stat)
      {:error, _} -> false
    end
  end

  # Runs the tests of the file; System.argv() is then the peer and its arguments.
  def run_tests do
    %{failures: failures} = ExUnit.run()
    if failures > 0, do: System.halt(1)
  end
end
