#!/usr/bin/env escript
%% A real BEAM resets, steps, hears of an unknown sensor, and closes the port: the peer ends by itself.
%%! -noinput
-include("peer.hrl").

main([Peer | Args]) ->
    Port = open(Peer, Args),
    reset(Port, 1),
    #{<<"observations">> := #{<<"agent_id_0">> := #{<<"patch">> := #{}}},
      <<"proprioceptive_state">> := #{<<"agent_id_0">> := #{<<"position">> := [_, _, _], <<"rotation">> := [_, _, _, _],
                                                            <<"sensors">> := #{<<"patch">> := #{}}}}} =
        call(Port, #{id => 2, command => step, actions => [action(move_forward, #{distance => 0.004})]}),
    #{<<"error">> := Error} = call(Port, #{id => 3, command => reset, sensor_ids => [nope]}),
    {match, _} = re:run(Error, "sensor id is not known"),
    Pid = os_pid(Port),
    true = port_close(Port),
    true = ended_within(Pid, 1000),
    io:format("4 passed, 0 failed~n").
