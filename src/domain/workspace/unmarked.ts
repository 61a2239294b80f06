/** What agents say about a directory that carries no marker. */

/** The reason while nothing is known that would keep the agent from marking the directory. */
export const NO_MARKER = 'the directory carries no marker';

interface Found {
  readonly isUnmarked: boolean;
  readonly reason: string;
}

/** Why the agent cannot mark a directory that it reports as unmarked; undefined if it may be able to. */
export function markRefusalOf({ isUnmarked, reason }: Found): string | undefined {
  return isUnmarked && reason !== '' && reason !== NO_MARKER ? reason : undefined;
}
