#!/usr/bin/env bash
# Lists what the users of each tarball install: build/bill-of-materials.sh FOLDER writes NAME.cdx.json beside each
# tarball in FOLDER.
set -euo pipefail
cd "$1"
installed=$(mktemp -d)
trap 'rm -r "$installed"' EXIT
for name in signed-requests signed-requests-gateway signed-requests-vectors; do
  project="$installed/$name"
  mkdir "$project"
  echo '{ "name": "installed", "version": "0.0.0" }' > "$project/package.json"
  tarballs=(./"$name"-[0-9]*.tgz)
  # This version of the library is not on npm yet.
  if [ "$name" = signed-requests-gateway ]; then tarballs+=(./signed-requests-[0-9]*.tgz); fi
  npm install --ignore-scripts --no-audit --prefix "$project" "${tarballs[@]}"
  npm sbom --sbom-format cyclonedx --prefix "$project" > "$name.cdx.json"
done
