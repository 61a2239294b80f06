/**
 * Calls that must take effect after earlier requests for many jobs. A call that changes the same jobs in another way
 * waits until these requests are done. If that takes too long, it is refused and changes nothing.
 */
import { AppError } from '../../domain/errors.ts';
import { waitUntil } from '../../lib/wait-until.ts';
import { heldChains, isScanHeld, isStrikeHeld } from '../../store/job-request/open-requests.ts';
import type { Sql } from '../../store/sql/sql.ts';

/** limit: how long a call waits. */
const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Resolves once no open request may change a job of the chain of recipes. Throws EARLIER_REQUESTS after a while. */
export function afterRequestsForChain(sql: Sql, chainId: number): Promise<void> {
  return after(async () => (await heldChains(sql, [chainId])).size > 0);
}

/** Resolves once no open request may pause or resume the strike. Throws EARLIER_REQUESTS after a while. */
export function afterRequestsForStrike(sql: Sql, strikeId: number): Promise<void> {
  return after(() => isStrikeHeld(sql, strikeId));
}

/** Resolves once no open request may change a job of the scan. Throws EARLIER_REQUESTS after a while. */
export function afterRequestsForScan(sql: Sql, scanId: number): Promise<void> {
  return after(() => isScanHeld(sql, scanId));
}

async function after(isHeld: () => Promise<boolean>): Promise<void> {
  const isFree = await waitUntil(async () => !(await isHeld()), {
    timeoutMs: WAIT_MS,
    everyMs: LOOK_EVERY_MS,
  });
  if (isFree !== true) {
    const text =
      'nothing was changed: earlier requests to cancel or requeue jobs come first, and are not done yet';
    throw new AppError('EARLIER_REQUESTS', text);
  }
}
