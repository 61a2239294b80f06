/** The properties of side-cars, which are GeoJSON Features; some properties have a meaning. */
import { isJsonObject, storableText } from '../document/json-value.ts';
import { parseInstant } from '../times.ts';

export type Properties = Readonly<Record<string, unknown>>;

// limit: characters of texts that lists can be filtered by.
const TEXT_LENGTH_MAX = 250;

/** The `properties` of a side-car; empty without one. */
export function propertiesOf(feature: Properties | null): Properties {
  const properties = feature?.properties;
  return isJsonObject(properties) ? properties : {};
}

/** The time span of the file's data; if one end is missing, it equals the other. */
export function dataSpanOf(properties: Properties): {
  readonly startedMs: number | null;
  readonly endedMs: number | null;
} {
  const startedMs = instantOf(properties.dataStarted);
  const endedMs = instantOf(properties.dataEnded);
  return { startedMs: startedMs ?? endedMs, endedMs: endedMs ?? startedMs };
}

/** Milliseconds; a time without a zone is UTC. Null for an invalid time. */
export function instantOf(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  return parseInstant(value) ?? parseInstant(`${value}Z`) ?? null;
}

/** Null for a value that is not a text, or that lists could not be filtered by. */
export function textOf(value: unknown): string | null {
  const text = storableText(value);
  return text !== undefined && text !== '' && text.length <= TEXT_LENGTH_MAX ? text : null;
}
