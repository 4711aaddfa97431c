# With stderr_to_stdout the log would land in the stream of frames: the peer keeps its frames clean.
ExUnit.start(autorun: false)
Code.require_file("peer.ex", __DIR__)

defmodule StderrToStdout do
  use ExUnit.Case

  test "the frames stay clean" do
    port = Peer.open(System.argv() ++ ["-v"], [:stderr_to_stdout])
    Peer.reset(port, 1)
    assert %{"observations" => _} = Peer.call(port, %{id: 2, command: "step", actions: [], surprise: 1})
    assert %{"code" => _} = Peer.call(port, %{id: 3, command: "fly"})
    assert %{"ok" => true} = Peer.call(port, %{id: 4, command: "close"})
    assert_receive {^port, {:exit_status, 0}}, 30_000
  end
end

Peer.run_tests()
