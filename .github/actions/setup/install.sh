#!/usr/bin/env bash
# usage: install.sh VERSION FOLDER   Puts the program into the folder: of a release, whose checksum is compared; or of a
# commit, a branch or, by the word source, the checkout, which Go builds.
set -euo pipefail
version=$1 folder=$2
releases=${LOOPSTONE_RELEASES:-https://github.com/loopstone/loopstone/releases/download}

mkdir -p "$folder"
case "$version" in
v*) ;;
source) exec go build -o "$folder/" ./cmd/loopstone ;;
*) GOBIN=$folder exec go install "github.com/loopstone/loopstone/cmd/loopstone@$version" ;;
esac

case "${RUNNER_OS:-$(uname -s)}" in Linux) os=linux ;; macOS | Darwin) os=darwin ;; *) os=windows ;; esac
case "${RUNNER_ARCH:-$(uname -m)}" in ARM64 | arm64 | aarch64) arch=arm64 ;; *) arch=amd64 ;; esac
case "$os" in windows) kind=zip ;; *) kind=tar.gz ;; esac
name="loopstone_${version#v}_${os}_$arch.$kind"

cd "$(mktemp -d)"
curl -fsSLO "$releases/$version/$name"
curl -fsSLO "$releases/$version/checksums.txt"
grep " $name\$" checksums.txt > wanted.txt
if command -v sha256sum > /dev/null; then sha256sum -c wanted.txt; else shasum -a 256 -c wanted.txt; fi
case "$kind" in zip) unzip -qo "$name" loopstone.exe -d "$folder" ;; *) tar -xzf "$name" -C "$folder" loopstone ;; esac
