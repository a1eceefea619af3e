"""Streaming: kubectl's logs, exec, attach, port-forward and proxy, between an upgraded connection and a node.

Framing is pure and cut anywhere (`websocket_frames`, `spdy_frames`); `websocket` and `spdy` speak it over a connection;
`remote_command` and `port_forward` are what is done with it; `node_connector` is the port that the API server calls.
"""
