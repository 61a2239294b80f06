/**
 * What was given to an installation and what has to come of it, worked out by the test itself: the audit compares
 * nothing that the installation says with anything else that it says, where the ledger knows better.
 */

/** Names of workspaces. */
export type Place = 'demo-archive' | 'bucket' | 'shelf' | 'bait';

export interface ExpectedProduct {
  readonly name: string;
  readonly place: Place;
  /** The hash of its content; when it is zipped, of what is in it. */
  readonly sha256: string;
  readonly isZipped?: boolean;
  /** Name of the file that its job took; undefined: its job took none. */
  readonly parent: string | undefined;
}

export interface ExpectedSource {
  readonly name: string;
  readonly place: Place;
  /** In its place; a strike that moves files puts the day between folder and name. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly by: 'strike' | 'bucket strike' | 'scan' | 'bait scan';
  /** undefined: nothing starts by itself. */
  readonly recipeType: string | undefined;
  readonly products: readonly ExpectedProduct[];
  /** Set when it was to be purged. */
  purge?: { readonly fileId: number; readonly withBytes: boolean };
}

export interface ExpectedBatch {
  readonly id: number;
  readonly title: string;
  /** What its recipes took, as `keyOf` in the audit has it. */
  readonly members: readonly string[];
  /** The products of its members, all together; none where the products are those of sources. */
  readonly products: readonly ExpectedProduct[];
}

/** A source that is swapped for a foreign file. Jobs that take it may fail. */
export interface ExpectedBait {
  readonly name: string;
  /** In the workspace `bait`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** The foreign file, and the hash of its content. */
  readonly foreignAt: string;
  readonly foreign: string;
}

export class Ledger {
  readonly sources: ExpectedSource[] = [];
  readonly batches: ExpectedBatch[] = [];
  readonly baits: ExpectedBait[] = [];
  /** Ids of jobs that were asked to take a bait. A call whose answer was lost may have made another. */
  readonly baitJobs: number[] = [];
  /** How often baits were swapped. */
  swaps = 0;
  /** How many recipes were done again one by one. */
  reprocessed = 0;
  /** Whether the scan has been asked since the last file was put on the shelf. */
  isShelfScanned = true;

  expectBait(bait: ExpectedBait): void {
    const { name, path, sha256, bytes } = bait;
    this.baits.push(bait);
    this.sources.push({
      ...{ name, path, sha256, bytes, place: 'bait', by: 'bait scan' },
      ...{ recipeType: undefined, products: [] },
    });
  }

  get purged(): readonly ExpectedSource[] {
    return this.sources.filter((source) => source.purge !== undefined);
  }

  get kept(): readonly ExpectedSource[] {
    return this.sources.filter((source) => source.purge === undefined);
  }
}
