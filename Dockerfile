# Argosy with everything it runs: Node, git, ssh, helm, kustomize and jsonnet. Runs as nobody in particular, on a read-only
# root; mirrors and temporary files go to /var/cache/argosy and /tmp.
#
#   docker build -t argosy .

FROM golang:1.26-bookworm AS tools
WORKDIR /tools
COPY tools/kube /tools/kube
RUN ARGOSY_TOOLS=/tools/out bash kube/build.sh helm kustomize jsonnet

FROM node:24-bookworm-slim AS build
WORKDIR /argosy
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm ci --ignore-scripts --omit=dev --omit=optional

FROM node:24-bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir -p /var/cache/argosy && chown 10001:10001 /var/cache/argosy
COPY --from=tools /tools/out/bin /opt/argosy/tools/bin
COPY --from=build /argosy/package.json /argosy/LICENSE /argosy/NOTICE /argosy/
COPY --from=build /argosy/node_modules /argosy/node_modules
COPY --from=build /argosy/dist /argosy/dist
# For `argosy demo`.
COPY --from=build /argosy/deploy/crds /argosy/deploy/crds
ENV NODE_ENV=production ARGOSY_TOOLS=/opt/argosy/tools HOME=/tmp
WORKDIR /tmp
USER 10001:10001
EXPOSE 8082
# The first process of a container reaps children of renders that ended in a hurry.
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/argosy/dist/argosy.js"]
CMD ["run"]
