/**
 * Bodies with a name and a password: JSON, `multipart/form-data`, or what a browser sends for the form of a page. Files
 * in a form are ignored.
 */
import { checkJson, type Json } from '../../domain/document/json-value.ts';
import { AppError } from '../../domain/errors.ts';
import { IssueList } from '../../domain/validation.ts';
import { type BodyReader, jsonReader } from '../../http/body/json.ts';

const FORMS = ['multipart/form-data', 'application/x-www-form-urlencoded'];

export function isForm(headers: ReadonlyMap<string, string>): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  return FORMS.includes(type.trim());
}

export const formReader: BodyReader = {
  accept: (headers) => {
    if (!isForm(headers)) jsonReader.accept(headers);
  },
  async read(bytes, kind) {
    const { headers } = kind;
    if (!isForm(headers)) return jsonReader.read(bytes, kind);
    const value = await fieldsOf(bytes, headers);
    const issues = new IssueList();
    return { value, isWalkable: checkJson(value, issues, 'UNUSABLE_VALUE'), problems: issues.errors };
  },
};

async function fieldsOf(bytes: Uint8Array, headers: ReadonlyMap<string, string>): Promise<Json> {
  const type = headers.get('content-type') ?? '';
  try {
    const form = await new Response(Buffer.from(bytes), { headers: { 'content-type': type } }).formData();
    const fields = [...form].filter((field): field is [string, string] => typeof field[1] === 'string');
    return Object.fromEntries(fields);
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', 'the body is not of its Content-Type', {}, { cause });
  }
}
