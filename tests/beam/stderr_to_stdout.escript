#!/usr/bin/env escript
%% With stderr_to_stdout the log would land in the stream of frames: the peer keeps its frames clean.
%%! -noinput
-include("peer.hrl").

main([Peer | Args]) ->
    Port = open(Peer, Args ++ ["-v"], [stderr_to_stdout]),
    reset(Port, 1),
    #{<<"observations">> := #{}} = call(Port, #{id => 2, command => step, actions => [], surprise => 1}),
    #{<<"code">> := _} = call(Port, #{id => 3, command => fly}),
    #{<<"ok">> := true} = call(Port, #{id => 4, command => close}),
    receive
        {Port, {exit_status, 0}} -> io:format("4 passed, 0 failed~n")
    after ?PATIENCE_MS -> error(still_running)
    end.
