"""A health bridge as `kind = "mcp-health"` reads it: two tools over streamable HTTP, the secret in the path.

    python health_mcp.py PORT SECRET DATA.json [--json]

Answers on http://127.0.0.1:PORT/SECRET/mcp; any other path is 404. With `--json` answers are plain JSON instead
of event streams. DATA.json is read anew at every call, so that a test can change it:

    {"latest": {"connected": true, "uploaded_at": "...", "metrics": {"hrv_sdnn": {"value": 31.5, "sampled_at": "..."}}},
     "history": {"sleep": [{"value": 90, "unit": "min", "stage": "asleep_core", ...}], "hrv_sdnn": [...]},
     "broken": "words of an error"}

With `broken` both tools fail in these words. Ends at SIGTERM. Tried with mcp 2.3.0 under Python 3.11.7, by curl
and by rmcp 3.11.0.
"""

import json
import pathlib
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

METRICS = (
    "sleep",
    "resting_heart_rate",
    "hrv_sdnn",
    "heart_rate",
    "respiratory_rate",
    "oxygen_saturation",
    "vo2_max",
)


def serve(port: int, secret: str, file: pathlib.Path, json_response: bool) -> None:
    server = MCPServer("health bridge of a test", log_level="WARNING")

    def data() -> dict:
        read = json.loads(file.read_text(encoding="utf-8"))
        if "broken" in read:
            raise ToolError(read["broken"])
        return read

    @server.tool(structured_output=False)
    def watch_get_latest_health() -> str:
        """The newest reading of every metric."""
        return json.dumps(data()["latest"])

    @server.tool(structured_output=False)
    def watch_get_health_history(metric: str) -> str:
        """What is kept of a metric."""
        if metric not in METRICS:
            raise ToolError(f"unknown metric {metric}")
        return json.dumps({"history": {metric: data()["history"].get(metric, [])}})

    path = f"/{secret}/mcp"
    server.run("streamable-http", host="127.0.0.1", port=port, streamable_http_path=path, json_response=json_response)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--json"]
    if len(words) != 3:
        sys.exit(__doc__)
    serve(int(words[0]), words[1], pathlib.Path(words[2]), "--json" in sys.argv)
