#!/usr/bin/env escript
%% A second VM owns the peer and is killed with signal 9 while steps are in flight: the peer is gone within a second.
%%! -noinput
-include("peer.hrl").

main(["victim", Peer | Args]) -> victim(open(Peer, Args));
main(Command) ->
    Victim = open_port({spawn_executable, os:find_executable("escript")},
                       [{line, 100}, exit_status, {args, [escript:script_name(), "victim" | Command]}]),
    [Vm, Peer] = pids(Victim),
    true = is_running(Vm) andalso is_running(Peer),
    [] = os:cmd(io_lib:format("kill -9 ~b", [Vm])),
    true = ended_within(Peer, 1000),
    io:format("1 passed, 0 failed~n").

%% Says who the VM and its peer are once the first of many steps is answered, and goes on until it is killed.
victim(Port) ->
    reset(Port, 1),
    spawn(fun() -> flood(Port, lists:seq(2, 1000)) end),
    #{<<"id">> := 2, <<"observations">> := #{}} = reply(Port),
    io:format("~s ~b~n", [os:getpid(), os_pid(Port)]),
    timer:sleep(?PATIENCE_MS).

pids(Victim) ->
    receive
        {Victim, {data, {eol, Line}}} -> [list_to_integer(Word) || Word <- string:tokens(Line, " ")];
        {Victim, {exit_status, Status}} -> error({victim_exited, Status})
    after ?PATIENCE_MS -> error(victim_is_silent)
    end.
