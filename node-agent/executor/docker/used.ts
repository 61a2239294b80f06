/** Measures a container by the reports of its engine, which come once a second, and not after its end. */
import type Docker from 'dockerode';
import type { Used } from '../../../src/domain/task/task-result.ts';

// limit: characters of one report of the engine.
const LINE_CHARS_MAX = 1024 * 1024;

/**
 * Begins to read reports. Calling the result ends this and returns the figures; undefined if the container ended before
 * the first report.
 */
export function measureContainer(container: Docker.Container): () => Used | undefined {
  let used: Used | undefined;
  const done = new AbortController();
  const listen = async (): Promise<void> => {
    const stream = (await container.stats({ stream: true })) as NodeJS.ReadableStream & { destroy(): void };
    done.signal.addEventListener('abort', () => stream.destroy());
    if (done.signal.aborted) stream.destroy();
    let text = '';
    for await (const piece of stream) {
      const lines = (text + piece).split('\n');
      text = lines.pop()?.slice(0, LINE_CHARS_MAX) ?? '';
      for (const line of lines) used = later(used, JSON.parse(line) as Docker.ContainerStats);
    }
  };
  listen().catch(() => undefined); // the engine was restarted, or the container has ended; the last report is used
  return () => {
    done.abort();
    return used;
  };
}

/** The last report of a container that ends has zeros. */
function later(before: Used | undefined, { memory_stats, cpu_stats, blkio_stats }: Docker.ContainerStats) {
  const memory = Math.max(memory_stats?.max_usage ?? 0, memory_stats?.usage ?? 0);
  const processorUs = Math.round((cpu_stats?.cpu_usage?.total_usage ?? 0) / 1_000);
  if (memory === 0 && processorUs === 0) return before;
  const io = blkio_stats?.io_service_bytes_recursive ?? undefined;
  const sum = (operation: string): number | undefined => {
    const found = io?.filter(({ op }: { op: string }) => op.toLowerCase() === operation);
    return found?.reduce((total: number, { value }: { value: number }) => total + value, 0);
  };
  return {
    source: 'engine',
    memoryBytes: Math.max(before?.memoryBytes ?? 0, memory),
    processorUs: Math.max(before?.processorUs ?? 0, processorUs),
    readBytes: sum('read') ?? before?.readBytes,
    writtenBytes: sum('write') ?? before?.writtenBytes,
  } as const;
}
