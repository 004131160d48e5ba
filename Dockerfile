# One image for web, worker, beat and migrate; docker-compose.yml says which is which.
FROM python:3.11-slim
WORKDIR /app
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONPATH=/app:/app/platform \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    HOST=0.0.0.0 \
    QUINTET_VAR=/var/lib/quintet

COPY requirements/uv.txt requirements/base.txt requirements/
RUN python -m venv .venv \
    && pip install --no-cache-dir --require-hashes -r requirements/uv.txt \
    && uv pip install --no-cache --require-hashes --compile-bytecode -r requirements/base.txt

COPY . .
RUN python -m compileall -q agents apps memory platform tools \
    && python -c 'import pathlib, polib; [polib.pofile(str(p)).save_as_mofile(str(p.with_suffix(".mo"))) for p in pathlib.Path("locale").rglob("*.po")]' \
    && useradd --system --home-dir /var/lib/quintet --create-home quintet

USER quintet
VOLUME /var/lib/quintet
EXPOSE 8000
CMD ["python", "manage.py", "serve"]
