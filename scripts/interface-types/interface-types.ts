/**
 * The types of the client (src/client/generated/), from the routes that are served. This folder is a package of its
 * own because openapi-typescript builds its text with the interface of TypeScript 5, and the project is checked by 7.
 */
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import type { OpenApiDocument } from '../../src/http/openapi.ts';

export const TYPES_FILE = 'src/client/generated/interface.ts';
export const CALLS_FILE = 'src/client/generated/calls.ts';

const HEAD = '// Written by `npm run docs` from the routes of the service. Do not edit.\n';

/** The text of both files by path. */
export async function interfaceTypes(document: OpenApiDocument): Promise<Readonly<Record<string, string>>> {
  const tree = await openapiTS(structuredClone(document) as unknown as OpenAPI3, {
    alphabetize: true,
    silent: true,
  });
  return {
    [TYPES_FILE]: `${HEAD}\n${astToString(tree).replaceAll(/^ {4,}/gm, (indent) => ' '.repeat(indent.length / 2))}`,
    [CALLS_FILE]: callsFile(document),
  };
}

/** What a client has to know of calls while it runs: which lists can be sorted. */
function callsFile(document: OpenApiDocument): string {
  const sorted = Object.entries(document.paths)
    .filter(([, { get }]) => get?.parameters.some((one) => one.in === 'query' && one.name === 'order'))
    .map(([path]) => `  '${path}',\n`)
    .sort();
  const name = 'SORTED_LISTS: ReadonlySet<string>';
  return `${HEAD}\n/** Lists that take \`order\`. */\nexport const ${name} = new Set([\n${sorted.join('')}]);\n`;
}
