/** Settings of an OpenTelemetry collector, under OpenTelemetry's own names. */
import type { IssueList } from '../domain/validation.ts';
import { Secret } from '../lib/secret.ts';
import type { SettingName } from './settings.ts';

export interface OtlpConfig {
  /** Base URL of OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  /** Headers of each request, as a JSON object. */
  readonly headers: Secret;
}

interface Reader {
  readonly issues: IssueList;
  url(name: SettingName, protocol: RegExp): string | undefined;
  secret(name: SettingName, charsMin: number): Secret | undefined;
}

/** Undefined without an endpoint: then there is no tracing. */
export function readOtlp(read: Reader): OtlpConfig | undefined {
  const endpoint = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', /^https?:$/);
  const given = read.secret('OTEL_EXPORTER_OTLP_HEADERS', 1)?.reveal() ?? '';
  const headers: Record<string, string> = {};
  for (const pair of given.split(',').filter((text) => text.trim() !== '')) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(pair) ?? [];
    const decoded = value === undefined ? undefined : decodedOf(value);
    if (name === undefined || decoded === undefined) {
      const reason = 'must be name=value, separated by commas, values percent-encoded';
      read.issues.error('INVALID_SETTING', 'OTEL_EXPORTER_OTLP_HEADERS', reason);
      return undefined;
    }
    headers[name] = decoded;
  }
  if (endpoint === undefined) return undefined;
  return { endpoint, headers: new Secret(JSON.stringify(headers)) };
}

function decodedOf(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
