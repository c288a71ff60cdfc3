#!/usr/bin/env bash
# Builds the real programs the tests and the product use (kube-apiserver, kube-controller-manager, kubectl,
# etcd, helm, kustomize, jsonnet) from the Go modules beside this file, each only if missing or of another
# version. A path in KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBECTL, ETCD, HELM, KUSTOMIZE or JSONNET wins:
# that program is not built.
#
#   npm run tools                  everything
#   npm run tools -- helm etcd     only these
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin="${ARGOSY_TOOLS:-$HOME/.cache/argosy/tools}/bin"
mkdir -p "$bin"

# The version a module of ours requires of another: the one source of truth is its go.mod.
required() { awk -v m="$2" '$1 == "require" && $2 == m { print $3 } $1 == m && $2 ~ /^v/ { print $2 }' "$here/$1/go.mod" | head -n 1; }

need_go() {
  local wanted
  wanted=$(awk '$1 == "go" { print $2 }' "$here/kubernetes/go.mod")
  if ! command -v go >/dev/null 2>&1; then
    echo "argosy: building $1 needs Go $wanted or newer on the PATH: install it, or set $2 to a ready binary." >&2
    exit 1
  fi
}

# build NAME VARIABLE MODULE-FOLDER MODULE PACKAGE [LDFLAGS]
build() {
  local name=$1 variable=$2 folder=$3 module=$4 package=$5 flags=${6:-}
  if [ "${#only[@]}" -gt 0 ] && [[ ! " ${only[*]} " == *" $name "* ]]; then return; fi
  if [ -n "${!variable:-}" ]; then
    echo "$name: using $variable"
    return
  fi
  local version stamp
  version=$(required "$folder" "$module")
  stamp="$bin/.$name.version"
  if [ -x "$bin/$name" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$version" ]; then
    echo "$name: $version is there"
    return
  fi
  need_go "$name" "$variable"
  echo "$name: building $version (a few minutes the first time)"
  # Built beside the goal and renamed, so that an interrupted build never leaves half a program.
  (cd "$here/$folder" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w ${flags//VERSION/$version}" -o "$bin/.$name.new" "$package")
  mv "$bin/.$name.new" "$bin/$name"
  echo "$version" >"$stamp"
}

only=("$@")
kube=$(required kubernetes k8s.io/kubernetes)
minor=${kube#v1.}
minor=${minor%%.*}
stamp_kube="-X k8s.io/component-base/version.gitVersion=VERSION -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$minor -X k8s.io/client-go/pkg/version.gitVersion=VERSION"

build kube-apiserver KUBE_APISERVER kubernetes k8s.io/kubernetes k8s.io/kubernetes/cmd/kube-apiserver "$stamp_kube"
build etcd ETCD etcd go.etcd.io/etcd/server/v3 go.etcd.io/etcd/server/v3
build kubectl KUBECTL kubernetes k8s.io/kubernetes k8s.io/kubernetes/cmd/kubectl "$stamp_kube"
build kube-controller-manager KUBE_CONTROLLER_MANAGER kubernetes k8s.io/kubernetes k8s.io/kubernetes/cmd/kube-controller-manager "$stamp_kube"
build helm HELM helm helm.sh/helm/v3 helm.sh/helm/v3/cmd/helm "-X helm.sh/helm/v3/internal/version.version=VERSION"
build kustomize KUSTOMIZE kustomize sigs.k8s.io/kustomize/kustomize/v5 sigs.k8s.io/kustomize/kustomize/v5 "-X sigs.k8s.io/kustomize/api/provenance.version=VERSION"
build jsonnet JSONNET jsonnet github.com/google/go-jsonnet github.com/google/go-jsonnet/cmd/jsonnet
