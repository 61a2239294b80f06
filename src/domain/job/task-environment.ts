/**
 * The environment of a job's main task: one variable for each input, setting and resource, as the Seed standard
 * requires. The caller that stages the files passes their paths. Secrets are in plain text here, and are passed nowhere
 * else. The ids of job and recipe come with the launch (work-variables.ts).
 */
import type { Json } from '../document/json-value.ts';
import { environmentName, type Manifest } from '../manifest/manifest.ts';
import { heldResources, sharedMemMib } from './resources.ts';

export interface EnvironmentSources {
  readonly manifest: Manifest;
  /** Whole MiB of all input files. */
  readonly inputMib: number;
  /** By input name: the file, or the directory of all files of a `multiple` input. Absent inputs are left out. */
  readonly filePaths: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, Json>>;
  /** Settings with their secret values. */
  readonly settings: Readonly<Record<string, string>>;
  readonly outputDir: string;
  /** Path of the input meta-data document; undefined if there is none. */
  readonly inputMetadata: string | undefined;
}

/** Whole MiB for a number of bytes. */
export function inputMibOf(bytes: number): number {
  return Math.ceil(bytes / 1_048_576);
}

/** All variables by name. Values whose names the manifest does not have are left out. */
export function taskEnvironment(sources: EnvironmentSources): ReadonlyMap<string, string> {
  const { manifest, filePaths, json, settings } = sources;
  const { inputs, settings: declared } = manifest.job.interface;
  const variables = new Map<string, string>();
  for (const { name } of inputs.files) {
    const path = Object.hasOwn(filePaths, name) ? filePaths[name] : undefined;
    if (path !== undefined) variables.set(environmentName(name), path);
  }
  for (const { name } of inputs.json) {
    const value = Object.hasOwn(json, name) ? json[name] : undefined;
    if (value !== undefined && value !== null) variables.set(environmentName(name), textOf(value));
  }
  for (const [name, value] of contractVariables(sources)) variables.set(name, value);
  for (const { name } of declared) {
    const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (value !== undefined) variables.set(environmentName(name), value);
  }
  return variables;
}

function contractVariables(sources: EnvironmentSources): [string, string][] {
  const { manifest, inputMib } = sources;
  const variables: [string, string][] = [['OUTPUT_DIR', sources.outputDir]];
  if (sources.inputMetadata !== undefined) variables.push(['INPUT_METADATA', sources.inputMetadata]);
  for (const [name, held] of Object.entries(heldResources(manifest, inputMib).resources)) {
    // The disk includes space for the input, which the job cannot use.
    const amount = name === 'disk' ? held - inputMib : held;
    variables.push([`ALLOCATED_${environmentName(name)}`, amount.toFixed(1)]);
  }
  const sharedMem = sharedMemMib(manifest, inputMib);
  if (sharedMem > 0) variables.push(['ALLOCATED_SHAREDMEM', sharedMem.toFixed(1)]);
  return variables;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
