# The port is closed while steps are in flight: the peer is gone within a second.
ExUnit.start(autorun: false)
Code.require_file("peer.ex", __DIR__)

defmodule CloseInMidStep do
  use ExUnit.Case

  test "Port.close in mid-step ends the peer" do
    port = Peer.open(System.argv())
    Peer.reset(port, 1)
    Peer.flood(port, 2..50)
    assert %{"id" => 2, "observations" => _} = Peer.reply(port)
    pid = Peer.os_pid(port)
    assert Peer.running?(pid)
    Port.close(port)
    assert Peer.ended_within?(pid, 1_000)
  end
end

Peer.run_tests()
