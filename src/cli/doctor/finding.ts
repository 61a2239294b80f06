/** One result of `doctor`. */
export interface Finding {
  readonly what: string;
  /** `no`: something that this machine needs does not work. `note`: it works with a restriction, or is not needed. */
  readonly verdict: 'ok' | 'note' | 'no';
  readonly found: string;
  /** What to do about it. */
  readonly help?: string;
}

/** limit: how long one check may take. */
export const LOOK_MS = 15_000;

/** Runs a check. If the check itself fails, this is a finding as well. */
export async function finding(what: string, look: () => Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const found = `no answer within ${LOOK_MS / 1_000} s`;
    timer = setTimeout(() => resolve({ what, verdict: 'no', found }), LOOK_MS);
  });
  try {
    return await Promise.race([look(), late]);
  } catch (error) {
    return { what, verdict: 'no', found: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
