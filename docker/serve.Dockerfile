# The HTTP service. Built from the repository's root:
#
#   docker build -f docker/serve.Dockerfile -t logic-retrievers .
#
# docker/serve.compose.yml runs it beside Qdrant.
FROM python:3.13-slim

WORKDIR /project
COPY pyproject.toml README.md LICENSE ./
COPY logic_retrievers logic_retrievers
COPY integrations integrations
COPY export export
RUN pip install --no-cache-dir ".[cli,mcp,rest]"

# Nobody: the service reads a collection and writes nothing.
USER 65534:65534
WORKDIR /
EXPOSE 8080
# /health needs no key; the image has no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health', timeout=4)"]
# Every interface of the container; what is published is said by who runs it. Needs LOGIC_RETRIEVERS_API_KEY.
CMD ["logic-retrievers", "serve", "--host", "0.0.0.0", "--port", "8080"]
