# Images are named by digest, so that a build is the same tomorrow; the tag says what to look for when a newer one is taken.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY console console
COPY src src
# The image has no repository: `docker build --build-arg COMMIT=$(git rev-parse HEAD) .`
ARG COMMIT=
RUN SVC_BUILD_COMMIT=$COMMIT npm run build && npm prune --omit=dev

# The runtime comes with node_modules (the pinned npm package `node`), so the final image needs no Node.js of its own.
FROM debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin svc \
    && install -d -o svc -g svc -m 0700 /data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY docs docs
ENV PATH=/app/node_modules/.bin:$PATH \
    NODE_ENV=production \
    SVC_DATA_DIR=/data \
    SVC_API_HOST=0.0.0.0 \
    SVC_TOOLS_HOST=0.0.0.0 \
    SVCD_HTTP_HOST=0.0.0.0 \
    SVCD_MCP_HOST=0.0.0.0 \
    SVCD_GRPC_HOST=0.0.0.0
USER svc
VOLUME /data
EXPOSE 8090 8091 14800 14801 4007
# Whichever apps listen in this container must be ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "const { env, exit } = process; Promise.allSettled([env.SVC_API_PORT || 8090, env.SVC_TOOLS_PORT || 8091, env.SVCD_HTTP_PORT || 14800].map((port) => fetch(`http://127.0.0.1:${port}/readyz`))).then((all) => { const here = all.filter(({ value }) => value); exit(here.length > 0 && here.every(({ value }) => value.ok) ? 0 : 1); })"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["start", "api"]
