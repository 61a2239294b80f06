/** Work as another user: tests of permissions mean nothing as root, which may do everything. */

/** The user `nobody`, when tests run as root; undefined: the user who runs them is no root. */
export const NOT_ROOT = process.getuid?.() === 0 ? 65_534 : undefined;

/** Runs `work` with the rights of `user`, in this process and its threads; undefined: as it is. */
export async function asUser<T>(user: number | undefined, work: () => Promise<T>): Promise<T> {
  if (user === undefined) return work();
  process.seteuid?.(user);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
