"""What clients do wrong is logged as news of the site, not as a warning about it."""

import logging


class ClientFaults(logging.Filter):
    """Makes refused hosts, and refused requests to the API, records of level INFO without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        is_refused = 400 <= getattr(record, "status_code", 0) < 500
        is_of_api = request is not None and request.path.startswith("/api/")
        if is_refused and (is_of_api or record.name == "django.security.DisallowedHost"):
            record.levelno, record.levelname = logging.INFO, "INFO"
            record.exc_info = None
        return logging.getLogger().isEnabledFor(record.levelno)
