# Elixir resets, steps, hears of an unknown sensor, and closes the port: the peer ends by itself.
ExUnit.start(autorun: false)
Code.require_file("peer.ex", __DIR__)

defmodule PortSmoke do
  use ExUnit.Case

  setup do: %{port: Peer.open(System.argv())}

  test "reset then step", %{port: port} do
    Peer.reset(port, 1)
    step = %{id: 2, command: "step", actions: [Peer.action("move_forward", %{distance: 0.004})]}

    assert %{"observations" => %{"agent_id_0" => %{"patch" => _}}, "proprioceptive_state" => %{"agent_id_0" => state}} =
             Peer.call(port, step)

    assert %{"position" => [_, _, _], "rotation" => [_, _, _, _], "sensors" => %{"patch" => _}} = state
  end

  test "unknown sensor id", %{port: port} do
    assert %{"error" => error} = Peer.call(port, %{id: 9, command: "reset", sensor_ids: ["x"]})
    assert error =~ "sensor id is not known"
  end

  test "closing the port ends the peer", %{port: port} do
    pid = Peer.os_pid(port)
    Port.close(port)
    assert Peer.ended_within?(pid, 1_000)
  end
end

Peer.run_tests()
