/** Messages that need no turn. Whatever else waits for the activation comes first, so the order is kept. */
import type { Runtime } from '../runtime.ts';
import { type Activation, nameOf } from './activation.ts';
import { AskMail, type Mail, messageOf } from './mail.ts';

/** Whether the message is done. False: it has to be handled by a turn. */
export function absorbs({ clock, log }: Runtime, activation: Activation, mail: Mail): boolean {
  const { def, state, phase, needsStart, lease } = activation;
  if (def.absorb === undefined || mail instanceof AskMail || state === undefined) return false;
  if (phase !== 'loaded' || needsStart || activation.mailCount > 0 || lease.status !== 'held') return false;
  const message = messageOf(mail);
  try {
    return def.absorb(state, message, clock.nowMs());
  } catch (error) {
    log.error('absorbing_failed', { ...nameOf(activation), messageType: message.type, error });
    return false;
  }
}
