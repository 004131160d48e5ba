"""What time it is, here or anywhere."""

import json
from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from tools.definition import (
    ArgumentsObject,
    RegisteredTool,
    ToolDefinition,
    ToolExecutionContext,
    ToolFault,
    ToolSource,
)


async def tell_current_time(arguments: ArgumentsObject, context: ToolExecutionContext) -> str:
    """The time to the second as ISO 8601 with its offset, the weekday and the zone, as JSON."""
    zone = arguments.get("time_zone", context.time_zone)
    if zone not in known_zones():
        raise ToolFault(
            "unknown_time_zone",
            f"There is no time zone {zone!r}. Use an IANA name such as 'Europe/Berlin' or 'UTC'.",
        )
    now = datetime.now(ZoneInfo(zone))
    return json.dumps(
        {"time": now.isoformat(timespec="seconds"), "weekday": f"{now:%A}", "time_zone": zone}
    )


@cache
def known_zones() -> frozenset[str]:
    """IANA names; asked before a name is opened, since zoneinfo reads files by it."""
    return frozenset(available_timezones())


CURRENT_TIME = RegisteredTool(
    definition=ToolDefinition(
        name="current_time",
        description="Tells the current date, time and weekday, by default in the time zone of the user.",
        parameters={
            "type": "object",
            "properties": {
                "time_zone": {
                    "type": "string",
                    "description": "IANA name of another time zone, such as 'Asia/Shanghai'.",
                }
            },
            "additionalProperties": False,
        },
        source=ToolSource.BUILTIN,
        source_id="current_time",
        is_parallel_safe=True,
        is_idempotent=True,
        timeout=5.0,
    ),
    handler=tell_current_time,
)
