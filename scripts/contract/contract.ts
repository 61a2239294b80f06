/**
 * What the interface promises, row by row, out of the routes that are served: each call, its parameters, the fields
 * of its body and of its replies. Knows no tests.
 */

import { apiRoutes } from '../../src/api/resources.ts';
import { type OpenApiDocument, type OpenApiOperation, openApi } from '../../src/http/openapi.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  /** Dotted, `[]` for the items of a list. */
  readonly bodyFields: readonly string[];
  readonly replyFields: readonly string[];
  readonly statuses: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

/** Deeper than any reply; where a schema holds itself it ends here. */
const DEPTH_MAX = 8;

export function servedCalls(): Call[] {
  return callsOf(openApi(apiRoutes('any'), 'any'));
}

export function callsOf(document: OpenApiDocument): Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const replies = Object.entries(operation.responses).filter(([status]) => status !== 'default');
      return {
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name),
        bodyFields: fieldsOf(jsonSchema(operation.requestBody), document),
        replyFields: [...new Set(replies.flatMap(([, reply]) => fieldsOf(jsonSchema(reply), document)))],
        statuses: replies.map(([status]) => status),
      };
    }),
  );
}

type Bodied = Pick<OpenApiOperation['responses'][string], 'content'> | undefined;

function jsonSchema(body: Bodied): Schema | undefined {
  return body?.content?.['application/json']?.schema as Schema | undefined;
}

function fieldsOf(schema: Schema | undefined, document: OpenApiDocument): string[] {
  const found = new Set<string>();
  const walk = (part: Schema, at: string, depth: number): void => {
    // Documents have a title; test/api/documents/ has samples of each of their fields.
    if (depth > DEPTH_MAX || (at !== '' && part.title !== undefined)) return;
    const reference = part.$ref as string | undefined;
    if (reference !== undefined) {
      const name = reference.slice(reference.lastIndexOf('/') + 1);
      const target = document.components.schemas[name] as Schema | undefined;
      if (target !== undefined) walk(target, at, depth + 1);
      return;
    }
    for (const word of ['anyOf', 'allOf', 'oneOf'] as const) {
      for (const one of (part[word] ?? []) as Schema[]) walk(one, at, depth + 1);
    }
    for (const [name, inner] of Object.entries((part.properties ?? {}) as Record<string, Schema>)) {
      const path = at === '' ? name : `${at}.${name}`;
      found.add(path);
      walk(inner, path, depth + 1);
    }
    if (part.items !== undefined) walk(part.items as Schema, `${at}[]`, depth + 1);
  };
  if (schema !== undefined) walk(schema, '', 0);
  return [...found];
}
