#!/usr/bin/env escript
%% The port is closed while steps are in flight: the peer is gone within a second.
%%! -noinput
-include("peer.hrl").

main([Peer | Args]) ->
    Port = open(Peer, Args),
    reset(Port, 1),
    spawn(fun() -> flood(Port, lists:seq(2, 50)) end),
    #{<<"id">> := 2, <<"observations">> := #{}} = reply(Port),
    Pid = os_pid(Port),
    true = is_running(Pid),
    true = port_close(Port),
    true = ended_within(Pid, 1000),
    io:format("1 passed, 0 failed~n").
