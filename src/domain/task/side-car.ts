/** What side-cars say of files: a GeoJSON Feature, of whose properties some mean something. */
import { isJsonObject, storableText } from '../document/json-value.ts';
import { parseInstant } from '../times.ts';

export type Properties = Readonly<Record<string, unknown>>;

// limit: of texts that lists are filtered by.
const TEXT_LENGTH_MAX = 250;

/** The `properties` of a side-car; none when there is no side-car. */
export function propertiesOf(feature: Properties | null): Properties {
  const properties = feature?.properties;
  return isJsonObject(properties) ? properties : {};
}

/** When the data of the file are: one end that is missing is the other. */
export function dataSpanOf(properties: Properties): {
  readonly startedMs: number | null;
  readonly endedMs: number | null;
} {
  const startedMs = instantOf(properties.dataStarted);
  const endedMs = instantOf(properties.dataEnded);
  return { startedMs: startedMs ?? endedMs, endedMs: endedMs ?? startedMs };
}

/** Milliseconds; a time without a zone is UTC. Null for what is no time. */
export function instantOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  return parseInstant(value) ?? parseInstant(`${value}Z`) ?? null;
}

/** Null for what is no text, or none that lists could be filtered by. */
export function textOf(value: unknown): string | null {
  const text = storableText(value);
  return text !== undefined && text !== '' && text.length <= TEXT_LENGTH_MAX ? text : null;
}
