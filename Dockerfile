# docker build -t weft . ; see compose.yaml and docs/operate.md
FROM python:3.11-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /src
COPY requirements.lock ./
RUN uv venv /opt/weft
COPY pyproject.toml README.md LICENSE ./
COPY agent agent
COPY adapters adapters
COPY bot bot
COPY storage storage
RUN VIRTUAL_ENV=/opt/weft uv pip install --compile-bytecode --constraint requirements.lock '.[postgres]'

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home weft && install -d -o weft -g weft -m 700 /data
COPY --from=build /opt/weft /opt/weft
ENV PATH=/opt/weft/bin:$PATH WEFT_DATA=/data WEFT_HOST=0.0.0.0 MPLCONFIGDIR=/tmp
USER weft
WORKDIR /home/weft
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD \
    ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["weft", "serve"]
