/**
 * Whether a file was moved to its name rather than created there: then it is complete at once. Pure.
 *
 * The runtime reports both alike, and does not report the closing of a file. What can be known all the same (each
 * holds on local file systems whose rename sets the change time; tried on ext4 and tmpfs of Linux 6.18):
 * 1. its transfer suffix was removed: it is the very inode that carried the suffixed name;
 * 2. it was born before the watermark of the event that first told of its name (see event-tide.ts);
 * 3. its content was never written under this name (no event says so), yet it has content, and its change time is
 *    after its modification time, as a rename leaves it. A write in progress sets both to the same time, and what
 *    else sets the change time alone makes an event. As that event may come a little later, the proof counts only
 *    when the watermark has passed the moment of looking: the file is `settling` until then;
 * 4. a suffixed name appeared, was written and vanished, and this name appeared right after, all since the last look:
 *    a suffix removed too quickly to see its inode. Settles like 3.
 * A file written and moved here from elsewhere within one tick of the kernel's clock (4 ms) has none of these marks,
 * nor has one found by listing: they are complete when they have not changed for a while.
 */
import type { FileFacts } from '../../src/storage/file-facts.ts';

/** What the events said about a name since it was last looked at. */
export interface Evidence {
  /** The first of them was an appearance or disappearance of the name, and no event had been lost by then. */
  readonly isFromAppearance: boolean;
  /** Content or attributes changed under this name. */
  readonly hasChanged: boolean;
  /** The tide's watermark when the first of them came. */
  readonly watermarkMs: number | undefined;
  /** Mark 4. */
  readonly followsSuffixed: boolean;
}

/** Birth times are taken from the tick before: at most 10 ms (100 ticks a second), and some for the reading of it. */
export const CLOCK_MARGIN_MS = 12;

/** `suffixed` is what was last known under the name with the transfer suffix. */
export function proofOf(
  facts: FileFacts,
  suffixed: Pick<FileFacts, 'inode' | 'birthUs'> | undefined,
  evidence: Evidence | undefined,
): 'moved' | 'settling' | 'none' {
  // With a second name its content may change without an event under this one.
  if (facts.linkCount !== 1) return 'none';
  const isBirthKnown = facts.birthUs > 0;
  if (suffixed !== undefined && isBirthKnown) {
    if (suffixed.inode === facts.inode && suffixed.birthUs === facts.birthUs) return 'moved';
  }
  if (evidence === undefined || !evidence.isFromAppearance || evidence.hasChanged) return 'none';
  if (isBirthKnown && evidence.watermarkMs !== undefined) {
    const beforeUs = (evidence.watermarkMs - CLOCK_MARGIN_MS) * 1_000;
    // A move sets the change time, which must then be recent: else the clock was set back in between.
    if (facts.birthUs < beforeUs && facts.ctimeUs > beforeUs) return 'moved';
  }
  const looksMoved = facts.ctimeUs > facts.mtimeUs || evidence.followsSuffixed;
  return facts.size > 0 && looksMoved ? 'settling' : 'none';
}
