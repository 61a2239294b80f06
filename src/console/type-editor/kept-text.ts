/** What a tab may keep of the text of an editor: browsers write what tabs keep to the disk. */

const DECLARES_SECRET = /"secret"\s*:\s*true/;

export const declaresSecret = (text: string): boolean => DECLARES_SECRET.test(text);

/**
 * The text, without the values of secret settings. Undefined if it declares secret settings and is no JSON at the
 * moment: it cannot be told which values are theirs.
 */
export function keptTextOf(text: string): string | undefined {
  if (!declaresSecret(text)) return text;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const declared = listAt(document, 'manifest', 'job', 'interface', 'settings');
  const secrets = new Set(declared.flatMap((one) => (at(one, 'secret') === true ? [at(one, 'name')] : [])));
  const configuration = at(document, 'configuration');
  const settings = at(configuration, 'settings');
  if (!isObject(document) || !isObject(configuration) || !isObject(settings)) return text;
  const open = Object.entries(settings).filter(([name]) => !secrets.has(name));
  if (open.length === Object.keys(settings).length) return text;
  const kept = { ...configuration, settings: Object.fromEntries(open) };
  return JSON.stringify({ ...document, configuration: kept }, null, 2);
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = path.reduce(at, value);
  return Array.isArray(found) ? found : [];
}

function at(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
