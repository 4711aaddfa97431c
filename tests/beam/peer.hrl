%% What the tests in Erlang share: opening a peer, asking it, and seeing it gone. Each runs as `escript FILE PEER [ARGS..]`.

-mode(compile).
-compile(nowarn_unused_function).
-define(PATIENCE_MS, 30000).

open(Peer, Args) -> open(Peer, Args, []).
open(Peer, Args, Options) ->
    open_port({spawn_executable, Peer}, [binary, {packet, 4}, exit_status, {args, Args} | Options]).

%% One request and its reply, which must carry the request's id.
call(Port, #{id := Id} = Request) ->
    true = port_command(Port, jiffy:encode(Request)),
    #{<<"id">> := Id} = reply(Port).

reply(Port) ->
    receive
        {Port, {data, Body}} -> jiffy:decode(Body, [return_maps]);
        {Port, {exit_status, Status}} -> error({peer_exited, Status})
    after ?PATIENCE_MS -> error(no_reply)
    end.

reset(Port, Id) ->
    #{<<"ok">> := true} = call(Port, #{id => Id, command => reset, sensor_ids => [patch]}).

action(Name, Keys) -> Keys#{action => Name, agent_id => agent_id_0}.

%% Steps that keep the peer busy: many actions each, so that it is inside one whenever its owner goes.
%% The caller is suspended while the pipe is full, and ends quietly with the port.
flood(Port, Ids) ->
    Actions = [action(turn_left, #{rotation_degrees => 0.01}) || _ <- lists:seq(1, 20000)],
    [catch port_command(Port, jiffy:encode(#{id => Id, command => step, actions => Actions})) || Id <- Ids].

os_pid(Port) ->
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    Pid.

%% Waits for the process to end. A zombie has ended: PID 1 does not reap orphans in every container.
ended_within(Pid, Ms) -> ended_by(Pid, erlang:monotonic_time(millisecond) + Ms).

ended_by(Pid, Deadline) ->
    case {is_running(Pid), erlang:monotonic_time(millisecond) > Deadline} of
        {false, _} -> true;
        {true, true} -> false;
        {true, false} -> timer:sleep(5), ended_by(Pid, Deadline)
    end.

is_running(Pid) ->
    case file:read_file(io_lib:format("/proc/~b/stat", [Pid])) of
        {ok, Stat} -> re:run(Stat, "\\) [ZX] ") =:= nomatch;
        {error, _} -> false
    end.
