/**
 * The JSON documents that a task may leave in its output directory: `seed.outputs.json` and side-cars about files. They
 * are read with a limit and without following links, and parsed on another thread. An invalid side-car is ignored with
 * a warning, because the file that it describes is valid without it.
 */
import { AppError } from '../../src/domain/errors.ts';
import type { OutputJson } from '../../src/domain/manifest/manifest.ts';
import { NAME_BYTES_MAX, nameToBytes } from '../../src/domain/paths.ts';
import type { Folder } from '../../src/storage/folder.ts';
import type { DocumentReader, ReadSideCar } from '../documents/document-reader.ts';
import { TaskFailure } from './task-failure.ts';

const MIB = 1024 * 1024;
// limit: for `seed.outputs.json`. The coordinator parses its values, and stores them with the job.
const RESULTS_BYTES_MAX = MIB;
// limit: for one side-car.
const SIDE_CAR_BYTES_MAX = 10 * MIB;

/**
 * The values of `seed.outputs.json` as the text of an object by output name. Throws TaskFailure
 * `invalid-results-manifest` for a document that is too large or malformed, or for a value of the wrong type or that
 * cannot be stored (NUL characters, unpaired surrogates, too deep), and `missing-required-output` for a missing
 * required value. `output` is undefined for a task without a folder.
 */
export async function readJsonOutputs(
  output: Folder | undefined,
  outputs: readonly OutputJson[],
  documents: DocumentReader,
): Promise<string> {
  const bytes = output && (await readDocument(output, 'seed.outputs.json', RESULTS_BYTES_MAX));
  if (bytes === 'too large') {
    throw new TaskFailure(
      'invalid-results-manifest',
      `seed.outputs.json has more than ${RESULTS_BYTES_MAX} bytes`,
    );
  }
  // Most tasks write none, and declare none.
  if (bytes === undefined && !outputs.some(({ required }) => required)) return '{}';
  const read = await documents.readJsonOutputs(bytes, outputs);
  if ('error' in read) throw new TaskFailure(read.error, read.detail);
  return read.values;
}

/** Reads a side-car: GeoJSON about a file. It is optional. */
export async function readSideCar(
  folder: Folder,
  name: string,
  documents: DocumentReader,
): Promise<ReadSideCar> {
  // The name of a file may be too long for the suffix of a side-car.
  if (nameToBytes(name).length > NAME_BYTES_MAX) return { feature: '' };
  const bytes = await readDocument(folder, name, SIDE_CAR_BYTES_MAX);
  if (bytes === undefined) return { feature: '' };
  if (bytes === 'too large') return { feature: '', warning: `has more than ${SIDE_CAR_BYTES_MAX} bytes` };
  return documents.readSideCar(bytes);
}

/** The content of a regular file; undefined if there is none of that name. */
async function readDocument(
  folder: Folder,
  name: string,
  bytesMax: number,
): Promise<Uint8Array | 'too large' | undefined> {
  // Most tasks write none, and this check costs a tenth of a failed `open`.
  const facts = folder.factsNow(name);
  if (facts?.kind !== 'file') return undefined;
  if (facts.size > bytesMax) return 'too large';
  try {
    return (await folder.readUpTo(name, bytesMax)) ?? 'too large';
  } catch (error) {
    // It was replaced meanwhile.
    if (error instanceof AppError && ['FILE_NOT_FOUND', 'PATH_NOT_ALLOWED'].includes(error.code))
      return undefined;
    throw error;
  }
}
