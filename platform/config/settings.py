"""Every setting of the site. Each `env()` stands here and in `.env.example`, in the same order."""

from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from csp.constants import NONE, SELF
from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from config.environment import Environment, database_entry, key_in

BASE_DIR = Path(__file__).resolve().parents[2]
env = Environment()  # type: ignore[no-untyped-call] # django-environ's constructor has no types
env.read_env(BASE_DIR / ".env")

# The installation: where data lives, who may reach it, what protects it.
QUINTET_VAR = Path(env("QUINTET_VAR", default=str(BASE_DIR / "var"))).resolve()
HOST = env("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=8000)
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
SITE_ORIGINS = env.list(
    "SITE_ORIGINS", default=[f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}"]
)
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
SECRET_KEY = env("SECRET_KEY", default="") or key_in(QUINTET_VAR, "secret_key", size=48)
FIELD_ENCRYPTION_KEYS = env.list("FIELD_ENCRYPTION_KEYS", default=[]) or [
    key_in(QUINTET_VAR, "field_encryption_key", size=32)
]
QUINTET_ADMIN_PASSWORD = env("QUINTET_ADMIN_PASSWORD", default="")
QUINTET_API_KEY = env("QUINTET_API_KEY", default="")

# Model services to begin with; what exists under these names is left as it is.
OPENAI_API_KEY = env("OPENAI_API_KEY", default="")
OPENAI_BASE_URL = env("OPENAI_BASE_URL", default="")
OPENAI_MODEL = env("OPENAI_MODEL", default="")
OLLAMA_BASE_URL = env("OLLAMA_BASE_URL", default="")

# Stores. Without them: SQLite and the process's own memory.
DATABASE_URL = env("DATABASE_URL", default="") or f"sqlite:///{QUINTET_VAR / 'quintet.sqlite3'}"
DATABASE_POOL_SIZE = env.int("DATABASE_POOL_SIZE", default=12)
REDIS_URL = env("REDIS_URL", default="")

# Runs: where they execute and how long things may take (seconds).
RUN_EXECUTOR = env("RUN_EXECUTOR", default="in_process")
RUN_HEARTBEAT = env.float("RUN_HEARTBEAT", default=2.0)
RUN_LEASE = env.float("RUN_LEASE", default=15.0)
RUN_DRAIN = env.float("RUN_DRAIN", default=30.0)
EVENT_LOG_TTL = env.int("EVENT_LOG_TTL", default=3600)
QUESTIONS_PER_MINUTE = env.int("QUESTIONS_PER_MINUTE", default=30)
SOCKETS_PER_USER = env.int("SOCKETS_PER_USER", default=20)
CURRENCY = env("CURRENCY", default="USD")

# Set-up for people.
LANGUAGE_CODE = env("LANGUAGE_CODE", default="en")
TIME_ZONE = env.one_of("TIME_ZONE", available_timezones(), default="UTC")
LOG_LEVEL = env.one_of("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO")

INSTALLED_APPS = [
    "daphne",
    "config",
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "apps.accounts.admin_config.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "apps.accounts",
    "apps.providers",
    "apps.toolbox",
    "apps.studio",
    "apps.conversations",
    "apps.usage",
    "apps.runs",
    "apps.chat",
    "apps.api",
]

# Every middleware here is async-capable: one that is not costs a thread hop per request.
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def database(url: str) -> dict[str, Any]:
    """Django's entry for `url`: SQLite in WAL mode with immediate transactions, PostgreSQL with a pool."""
    entry = database_entry(url)
    if entry["ENGINE"] == "django.db.backends.sqlite3":
        entry["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
        entry["TEST"] = {"NAME": str(QUINTET_VAR / "test.sqlite3")}
    else:
        entry["OPTIONS"] = {
            **entry.get("OPTIONS", {}),
            "pool": {"min_size": 0, "max_size": DATABASE_POOL_SIZE, "timeout": 20},
        }
    return entry


DATABASES = {"default": database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "apps.accounts.roles.RoleBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 1
AXES_CLIENT_IP_CALLABLE = "apps.accounts.addresses.client_address"
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_LOCKOUT_PARAMETERS = ["username", "ip_address"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

IS_HTTPS = all(origin.startswith("https://") for origin in SITE_ORIGINS)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if IS_HTTPS else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
CSRF_TRUSTED_ORIGINS = SITE_ORIGINS
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

USE_I18N = True
USE_TZ = True
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
STATIC_URL = "/static/"
STATIC_ROOT = QUINTET_VAR / "static"

CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
# Two seconds for a broker that accepts and never answers; a worker waits one second for a job (its BRPOP).
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_connect_timeout": 2, "socket_timeout": 2} if REDIS_URL else {"polling_interval": 0.05}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_max": 0}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "jobs"
CELERY_TASK_ROUTES = {"apps.runs.tasks.execute_run": {"queue": "runs"}}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# How soon, in seconds, the timer of a worker in a thread notices that it is to end.
CELERY_WORKER_TIMER_PRECISION = 0.2
CELERY_BEAT_SCHEDULE = {
    "sweep-duties": {"task": "apps.runs.tasks.sweep_duties", "schedule": 60.0},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.authentication.ApiKeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "apps.api.pagination.PageNumberPagination",
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "apps.api.errors.answer_exception",
    "NUM_PROXIES": TRUSTED_PROXIES,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Quintet",
    "DESCRIPTION": "Configure agents, publish them, talk to them.",
    "VERSION": "1",
    # The version whose JSON Schema may say null, as the models of the events do.
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

UNFOLD = {
    "SITE_TITLE": "Quintet",
    "SITE_HEADER": "Quintet",
    "SITE_URL": "/",
    "SITE_ICON": lambda request: static("chat/icon.svg"),
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("chat/icon.svg")},
    ],
    "COLORS": {
        "primary": {
            "50": "#f0f8f6",
            "100": "#dcefeb",
            "200": "#b9dfd7",
            "300": "#8cc9bd",
            "400": "#55a99a",
            "500": "#2b8c7c",
            "600": "#0f6e63",
            "700": "#0d5a51",
            "800": "#0c4942",
            "900": "#0a3b36",
            "950": "#052421",
        },
    },
    "STYLES": [lambda request: static("admin/quintet.css")],
    "SHOW_HISTORY": True,
    "SHOW_BACK_BUTTON": True,
    "SHOW_VIEW_ON_SITE": False,
    "SIDEBAR": {"navigation": "apps.accounts.navigation.sidebar"},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "filters": {"client_faults": {"()": "config.client_faults.ClientFaults"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        **dict.fromkeys(("axes", "celery", "daphne", "kombu", "asyncio"), {"level": "WARNING"}),
        **dict.fromkeys(
            ("django.request", "django.security.DisallowedHost"), {"filters": ["client_faults"]}
        ),
    },
}
