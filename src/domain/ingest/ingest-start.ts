/** The recipe that an ingested file starts: the input that gets the file, the event, and the recipe's first rows. */
import type { NewEvent } from '../event.ts';
import type { FileInfo } from '../file/file.ts';
import type { FileFacts } from '../filter/filter-evaluate.ts';
import type { FileParameter } from '../interface/interface.ts';
import { type StartedRecipe, startRecipe } from '../recipe/start-recipe.ts';
import type { RecipeTypeRevision } from '../recipe/type-revisions.ts';
import type { WorkspaceIds } from '../workspace/workspace-ids.ts';
import type { IngestOwner } from './ingest.ts';
import { acceptsMediaType, ingestInputOf } from './ingest-recipe.ts';

export interface IngestStart {
  readonly recipeId: number;
  readonly shard: number;
  readonly eventId: number;
  readonly ingestId: number;
  /** The kind of owner that found the file. */
  readonly ownerKind: IngestOwner['kind'];
  /** Recorded by the same commit. */
  readonly file: FileInfo;
  readonly workspaces: WorkspaceIds;
  readonly nowMs: number;
  /** Fresh ids; kinds `job`, `recipe`, `recipe_condition`. */
  newId(idKind: string): number;
}

/** The input that gets a file of the media type, or why the recipe type cannot take it, as a sentence. */
export function inputFor(revision: RecipeTypeRevision, mediaType: string): FileParameter | string {
  const input = ingestInputOf(revision.definition.input);
  if (typeof input === 'string') return `the recipe type '${revision.recipeTypeName}' ${input}`;
  if (acceptsMediaType(input, mediaType)) return input;
  return `the input '${input.name}' of '${revision.recipeTypeName}' takes no ${mediaType}`;
}

/** Why no recipe was started, as a sentence: the recipe type has no revision to use. */
export function missingRecipe(name: string): string {
  return `no recipe was started: the recipe type '${name}' does not exist or is deprecated`;
}

/** The recipe's rows, or the reason why the recipe type cannot take the file, as a sentence. */
export function ingestStartOf(
  revision: RecipeTypeRevision,
  start: IngestStart,
): (StartedRecipe & { readonly event: NewEvent }) | string {
  const { file } = start;
  const input = inputFor(revision, file.mediaType);
  if (typeof input === 'string') return input;
  const started = startRecipe(
    revision,
    {
      recipeId: start.recipeId,
      shard: start.shard,
      eventId: start.eventId,
      batchId: null,
      ingestId: start.ingestId,
      configuration: null,
      input: { files: { [input.name]: [file.id] }, json: {} },
    },
    {
      files: new Map([[file.id, file]]),
      newFiles: new Map([[file.id, factsOfNew(file)]]),
      workspaces: start.workspaces,
      nowMs: start.nowMs,
      newId: start.newId,
    },
  );
  const description = { version: '1.0', file_id: file.id, file_name: file.fileName };
  const type = start.ownerKind === 'strike' ? 'STRIKE_INGEST' : 'SCAN_INGEST';
  const event: NewEvent = { id: start.eventId, type, occurredMs: start.nowMs, description };
  return { ...started, event };
}

/** A new file has no meta-data: its recipe has not parsed it yet. */
function factsOfNew({ fileName, mediaType, tags }: FileInfo): FileFacts {
  return { fileName, mediaType, dataTypes: tags, metaData: {} };
}
