# A second VM owns the peer and is killed with signal 9 while steps are in flight: the peer is gone within a second.
ExUnit.start(autorun: false)
Code.require_file("peer.ex", __DIR__)

defmodule KilledVm do
  use ExUnit.Case

  test "the peer of a killed VM ends" do
    args = [__ENV__.file, "victim" | System.argv()]
    elixir = System.find_executable("elixir")
    victim = Port.open({:spawn_executable, elixir}, [:binary, :exit_status, {:line, 100}, {:args, args}])
    assert_receive {^victim, {:data, {:eol, line}}}, 30_000
    [vm, peer] = line |> String.split() |> Enum.map(&String.to_integer/1)
    assert Peer.running?(vm) and Peer.running?(peer)
    assert {"", 0} = System.cmd("sh", ["-c", "kill -9 #{vm}"])
    assert Peer.ended_within?(peer, 1_000)
  end

  # Says who the VM and its peer are once the first of many steps is answered, and goes on until it is killed.
  def victim(command) do
    port = Peer.open(command)
    Peer.reset(port, 1)
    Peer.flood(port, 2..1_000)
    %{"id" => 2, "observations" => _} = Peer.reply(port)
    IO.puts("#{System.pid()} #{Peer.os_pid(port)}")
    Process.sleep(30_000)
  end
end

case System.argv() do
  ["victim" | command] -> KilledVm.victim(command)
  _ -> Peer.run_tests()
end
