#!/usr/bin/env bash
# Set up Behest: a virtual environment with pinned packages, and the programs that its tools and
# tests use and that the system can install. Usage: setup.sh PYTHON VENV
set -euo pipefail

python=$1
venv=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "behest: Python 3.11 or newer is needed; name one with: make PYTHON=python3.12" >&2
    exit 1
fi

echo "Setting up $venv, once; with a slow network it takes a few minutes."
echo "  the virtual environment ..."
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "  the packages that are needed to run and to test it ..."
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".[dev]"

# What a wheel of Behest needs to be built and installed: `make test` tries one, without a network.
echo "  the packages that a test installs it from, without a network ..."
rm -rf "$venv/wheels"
"$venv/bin/python" -m pip wheel --quiet --disable-pip-version-check \
    --constraint constraints.txt --wheel-dir "$venv/wheels" hatchling .
rm "$venv"/wheels/behest-*.whl

# Programs from the system: sound control (pactl) with a server to test it on; what looks at windows,
# changes them, keeps the clipboard and takes pictures, on X11 (xprop, wmctrl, xdotool, xclip,
# import) and Wayland (wl-clipboard, grim), with displays to test it on; a bus with a notification
# service and a media player; and a browser.
echo "  the programs that it uses ..."
missing=()
command -v pactl >/dev/null || missing+=(pulseaudio-utils)
command -v pulseaudio >/dev/null || missing+=(pulseaudio)
command -v xprop >/dev/null || missing+=(x11-utils)
command -v Xvfb >/dev/null || missing+=(xvfb)
command -v wmctrl >/dev/null || missing+=(wmctrl)
command -v xdotool >/dev/null || missing+=(xdotool)
command -v xclip >/dev/null || missing+=(xclip)
command -v import >/dev/null || missing+=(imagemagick)
command -v jwm >/dev/null || missing+=(jwm)
command -v wl-copy >/dev/null || missing+=(wl-clipboard)
command -v grim >/dev/null || missing+=(grim)
command -v sway >/dev/null || missing+=(sway)
command -v openssl >/dev/null || missing+=(openssl)
command -v dbus-daemon >/dev/null || missing+=(dbus)
command -v dunst >/dev/null || missing+=(dunst)
[ -e /etc/mpv/scripts/mpris.so ] || missing+=(mpv mpv-mpris)
find_browser() {
    command -v chromium || command -v chromium-browser || command -v google-chrome ||
        ls "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}"/chromium-*/*/chrome 2>/dev/null
}
if ! find_browser >/dev/null; then
    echo "  fetching a browser ..."
    timeout 300 "$venv/bin/playwright" install chromium >/dev/null 2>&1 || missing+=(chromium)
fi
if [ ${#missing[@]} -gt 0 ]; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        echo "  installing ${missing[*]} ..."
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends \
            "${missing[@]}" >/dev/null
    else
        echo "behest: not found here: ${missing[*]}" >&2
        echo "        Behest runs without them; install them with your package manager to use" >&2
        echo "        and test what they do. \`behest doctor\` says what works." >&2
    fi
fi
echo "  done."
