/** Coordinators that find each other as rows of `coordinator` have it: each with a listener and a key of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../src/rpc/agent-gateway.ts';
import { ContentRequests } from '../../src/rpc/content.ts';
import { CoordinatorBus } from '../../src/rpc/coordinator-bus.ts';
import type { GatewayTls } from '../../src/rpc/tls.ts';
import { UploadRequests } from '../../src/rpc/uploads.ts';
import { type LinkedTransport, linkedTransport } from '../../src/transport/linked-transport.ts';
import type { Bus, DirectPeer } from '../../src/transport/ways.ts';
import { silentLog } from '../support/silent-log.ts';

interface Test {
  teardown(call: () => unknown): void;
}

export class BusBed {
  readonly peers = new Map<string, DirectPeer | 'legacy'>();
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-bus-'));
  readonly #t: Test;
  #sockets = 0;

  constructor(t: Test) {
    this.#t = t;
    t.teardown(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** A listener, with what is called and calls there. */
  async listen(tls?: GatewayTls): Promise<{ readonly bus: CoordinatorBus; readonly address: string }> {
    const bus = new CoordinatorBus();
    bus.useTls(tls?.authority);
    this.#sockets += 1;
    const gateway = await startGateway({
      listen: tls === undefined ? `unix:${join(this.#folder, String(this.#sockets))}` : '127.0.0.1:0',
      joinToken: 'agents know this one',
      ...(tls === undefined ? {} : { tls }),
      self: 'c',
      system: {
        ask: async () => undefined as never,
        tell: () => undefined,
        ownerOf: () => undefined,
        coordinators: () => [],
      },
      ensureNode: async () => 1,
      saveLogs: async () => undefined,
      reservePath: () => Promise.reject(new Error('no agent asks')),
      contents: new ContentRequests(),
      uploads: new UploadRequests(),
      bus,
      newSessionId: () => 's',
      nowMs: () => 0,
      heartbeatMs: 2_000,
      log: silentLog,
    });
    this.#t.teardown(() => gateway.stop());
    return { bus, address: gateway.address };
  }

  /** A transport that is known to the others from its start on. */
  transport(nats?: Bus): LinkedTransport {
    const direct = this.listen();
    let linked: LinkedTransport | undefined;
    return {
      start: async (self, onEnvelope) => {
        const { bus, address } = await direct;
        this.peers.set(self, { address, key: bus.key.reveal() });
        linked = linkedTransport({
          ...(nats === undefined ? {} : { bus: nats }),
          direct: bus,
          peer: (id) => this.peers.get(id),
          log: silentLog,
        });
        await linked.start(self, onEnvelope);
      },
      send: (to, envelope) => linked?.send(to, envelope) ?? 'refused',
      trouble: () => linked?.trouble(),
      stop: async () => linked?.stop(),
    };
  }
}
