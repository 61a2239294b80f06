/** Stored files: sources that arrived and products that jobs made. */

import type { Footprint } from '../geometry/footprint.ts';

/**
 * The facts about a stored file that decisions need. `size` is in bytes; `sourceStartedMs` and the like are ms since
 * 1970.
 */
export interface FileInfo {
  readonly id: number;
  readonly uuid: string;
  readonly fileType: 'SOURCE' | 'PRODUCT';
  readonly fileName: string;
  readonly mediaType: string;
  readonly size: number;
  readonly tags: readonly string[];
  readonly workspaceId: number;
  readonly isDeleted: boolean;
  readonly sourceStartedMs: number | null;
  readonly sourceEndedMs: number | null;
  readonly dataStartedMs: number | null;
  readonly sourceSensorClass: string | null;
  readonly sourceSensor: string | null;
  readonly sourceCollection: string | null;
  readonly sourceTask: string | null;
}

export interface NewSourceFile {
  readonly id: number;
  readonly uuid: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly size: number;
  readonly sha256: string;
  readonly tags: readonly string[];
  readonly workspaceId: number;
  readonly filePath: string;
  readonly atMs: number;
}

export interface FileSupersede {
  readonly fileId: number;
  readonly atMs: number;
}

/**
 * A product, the execution that made it, and the inputs that it descends from (only the direct ones; the store adds
 * their ancestors). `size` is in bytes, `sha256` in hexadecimal.
 */
export interface NewProduct {
  readonly id: number;
  readonly uuid: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly size: number;
  readonly sha256: string;
  readonly workspaceUuid: string;
  readonly filePath: string;
  readonly jobId: number;
  readonly executionId: number;
  readonly jobTypeId: number;
  readonly jobOutput: string;
  readonly recipeId: number | null;
  readonly recipeNode: string | null;
  readonly recipeTypeId: number | null;
  readonly batchId: number | null;
  readonly inputFileIds: readonly number[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Null if the task reported no place. */
  readonly footprint: Footprint | null;
  readonly dataStartedMs: number | null;
  readonly dataEndedMs: number | null;
  readonly sourceStartedMs: number | null;
  readonly sourceEndedMs: number | null;
  readonly sourceSensorClass: string | null;
  readonly sourceSensor: string | null;
  readonly sourceCollection: string | null;
  readonly sourceTask: string | null;
  readonly atMs: number;
}
