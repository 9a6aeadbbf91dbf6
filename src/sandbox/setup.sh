# Makes a root folder of what a program may read, all of it read-only, with a small temporary folder of its own, and
# goes into it. $1 is a folder to make it on; then the paths, up to --; then the command.
set -eu
root=$1
shift
mount -t tmpfs -o size=1m,nr_inodes=4096,mode=755 none "$root"
# First, because what is read may lie in a folder of this name too.
mkdir "$root/tmp"
mount -t tmpfs -o size=64m,nr_inodes=4096,mode=1777,nosuid,nodev none "$root/tmp"
while [ "$1" != -- ]; do
  path=$1
  shift
  mkdir -p "$root${path%/*}"
  if [ -L "$path" ]; then
    ln -s "$(readlink "$path")" "$root$path"
  elif [ -d "$path" ]; then
    mkdir -p "$root$path"
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro,nosuid,nodev "$root$path"
  elif [ -c "$path" ]; then
    : >"$root$path"
    mount --bind "$path" "$root$path"
  elif [ -e "$path" ]; then
    : >"$root$path"
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro,nosuid,nodev "$root$path"
  fi
done
shift
ln -s /tmp "$root/dev/shm"
mount -o remount,bind,ro,nosuid,nodev "$root"
cd "$root"
chroot "$root" "$@"
# A command after it keeps this shell as the first process of its kind, whose end is the end of all others.
exit $?
