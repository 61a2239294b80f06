/**
 * Whether a file was moved to its name rather than created there: then it is complete without a quiet period. Pure.
 *
 * The runtime reports both in the same way, and does not report the closing of a file. The following can be known all
 * the same (on local file systems whose rename sets the change time; tried on ext4 and tmpfs of Linux 6.18):
 *
 * 1. its transfer suffix was removed: it is the very inode that had the suffixed name;
 * 2. it was born before the watermark of the first event about its name (see event-watermark.ts);
 * 3. its content was never written under this name (there is no such event), yet it has content, and its change time
 *    is after its modification time, as a rename leaves it. A write in progress sets both to the same time, and other
 *    changes of the change time alone cause an event;
 * 4. a suffixed name appeared, was written and vanished, and this name appeared right after, all since the last
 *    check: a suffix that was removed too quickly to see its inode;
 * 5. no event says that it was written, yet it has content, of a size that is not a multiple of 4,096. The only way
 *    to have content without an event is a first write call that has not returned, and that shows whole pages until its
 *    end.
 *
 * Marks 3 to 5 rely on the absence of an event, and events come a little later than the change. Therefore the file must
 * be found unchanged when the watermark is a certain time past the first check. For mark 5 that is longer than the
 * kernel delays a writer who has dirtied too much memory (200 ms), which it does between content and event.
 *
 * A file without any of these marks (a multiple of 4,096 bytes, written and moved here within one tick of the kernel's
 * clock, 4 ms; or found by listing) is complete when it has not changed for a while.
 */
import type { FileFacts } from '../../src/storage/file-facts.ts';

/** The events about a name since it was last checked. */
export interface Evidence {
  /** The first of them was an appearance or disappearance of the name, and no event had been lost by then. */
  readonly isFromAppearance: boolean;
  /** Content or attributes changed under this name. */
  readonly hasChanged: boolean;
  /** The watermark when the first of them came. */
  readonly watermarkMs: number | undefined;
  /** Mark 4. */
  readonly followsSuffixed: boolean;
}

/** Birth times are taken from the previous tick: at most 10 ms (100 ticks a second), plus some for reading it. */
export const CLOCK_MARGIN_MS = 12;
/** See mark 5. */
export const QUIET_MS = 250;
const PAGE_BYTES = 4_096;

/**
 * How long the file must rest to count as moved: 0 if it is complete now, undefined if nothing proves a move.
 * `suffixed` are the last known facts under the name with the transfer suffix, if that name has vanished.
 */
export function restMsOf(
  facts: FileFacts,
  suffixed: Pick<FileFacts, 'inode' | 'birthUs'> | undefined,
  evidence: Evidence | undefined,
): number | undefined {
  // With a second name, its content may change without an event under this one.
  if (facts.linkCount !== 1) return undefined;
  const isBirthKnown = facts.birthUs > 0;
  if (suffixed !== undefined && isBirthKnown) {
    if (suffixed.inode === facts.inode && suffixed.birthUs === facts.birthUs) return 0;
  }
  if (evidence === undefined || !evidence.isFromAppearance || evidence.hasChanged) return undefined;
  if (isBirthKnown && evidence.watermarkMs !== undefined) {
    const beforeUs = (evidence.watermarkMs - CLOCK_MARGIN_MS) * 1_000;
    // A move sets the change time, which must then be recent; otherwise the clock was set back in between.
    if (facts.birthUs < beforeUs && facts.ctimeUs > beforeUs) return 0;
  }
  if (facts.size === 0) return undefined;
  if (facts.ctimeUs > facts.mtimeUs || evidence.followsSuffixed) return CLOCK_MARGIN_MS;
  return facts.size % PAGE_BYTES === 0 ? undefined : QUIET_MS;
}

/** Evidence if some events may be lost: reported events are valid, but their absence proves nothing. */
export function unproven(evidence: Evidence | undefined): Evidence | undefined {
  return evidence === undefined ? undefined : { ...evidence, isFromAppearance: false };
}
