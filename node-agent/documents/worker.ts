/**
 * The entry of the thread that reads documents of tasks, so that a document of any size does not block the agent.
 * Answers come in the order of the questions.
 */
import { parentPort } from 'node:worker_threads';
import { checkJson } from '../../src/domain/document/json-value.ts';
import { centroidOf } from '../../src/domain/geometry/centroid.ts';
import type { Footprint } from '../../src/domain/geometry/footprint.ts';
import { readFeature } from '../../src/domain/geometry/geojson.ts';
import type { Geometry } from '../../src/domain/geometry/geometry.ts';
import { toWkt } from '../../src/domain/geometry/wkt.ts';
import type { OutputJson } from '../../src/domain/manifest/manifest.ts';
import { IssueList } from '../../src/domain/validation.ts';
import { countriesOf, GeometryTooComplex } from './countries.ts';
import { type ReadJsonOutputs, readJsonOutputsText } from './json-outputs.ts';

/** A question for the thread; `bytes` is the document's text in UTF-8. */
export type DocumentQuestion =
  | { readonly type: 'sideCar'; readonly bytes: Uint8Array }
  | {
      readonly type: 'jsonOutputs';
      readonly bytes: Uint8Array | undefined;
      readonly outputs: readonly OutputJson[];
    };

/** The contents of a side-car, valid for storage. */
export interface ReadSideCar {
  /** JSON text of a GeoJSON Feature whose geometry is in the footprint; '' without a side-car. */
  readonly feature: string;
  readonly footprint?: Footprint;
  /** Why all or part of it was ignored, as the rest of a sentence. */
  readonly warning?: string;
}

// limit: bytes of the properties of one side-car, as text in UTF-8.
const PROPERTIES_BYTES_MAX = 256 * 1024;

function answer(question: DocumentQuestion): ReadSideCar | ReadJsonOutputs {
  const text = question.bytes && Buffer.from(question.bytes).toString('utf8');
  if (question.type === 'sideCar') return readSideCarText(text ?? '');
  return readJsonOutputsText(text, question.outputs);
}

function readSideCarText(text: string): ReadSideCar {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { feature: '', warning: `is not JSON: ${(error as Error).message.slice(0, 200)}` };
  }
  const issues = new IssueList(1);
  const isShallow = checkJson(document, issues, 'INVALID');
  const [issue] = issues.errors;
  if (!isShallow || issue !== undefined) {
    return { feature: '', warning: `cannot be stored: at '${issue?.path}' ${issue?.description}` };
  }
  const read = readFeature(document);
  if (typeof read === 'string') return { feature: '', warning: read };
  if (Buffer.byteLength(JSON.stringify(read.properties)) > PROPERTIES_BYTES_MAX) {
    return { feature: '', warning: `has properties of more than ${PROPERTIES_BYTES_MAX} bytes` };
  }
  const feature = JSON.stringify({ type: 'Feature', geometry: null, properties: read.properties });
  if (read.geometry === null) return { feature, ...(read.problem && { warning: read.problem }) };
  return { feature, ...footprintOf(read.geometry) };
}

function footprintOf(geometry: Geometry): Pick<ReadSideCar, 'footprint' | 'warning'> {
  const place = {
    geometry: toWkt(geometry),
    centerPoint: toWkt({ type: 'Point', coordinates: centroidOf(geometry) }),
  };
  try {
    return { footprint: { ...place, countries: countriesOf(geometry) } };
  } catch (error) {
    if (!(error instanceof GeometryTooComplex)) throw error;
    return {
      footprint: { ...place, countries: [] },
      warning: 'has a geometry that is too complex to determine its countries',
    };
  }
}

parentPort?.on('message', (question: DocumentQuestion) => parentPort?.postMessage(answer(question)));
