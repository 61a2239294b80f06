/** Keys that work on every page, and keys of the present page. */
import { useEffect } from 'react';

export type KeyActions = Readonly<Record<string, () => void>>;

/** Whether a key is meant for the console: not typed into a field, and not together with Ctrl, Alt or Meta. */
function isForUs(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.target as HTMLElement;
  if (target.closest('[role=dialog]') !== null) return false;
  if (event.key === 'Enter' && target.closest('a, button, summary') !== null) return false;
  return target.closest('input, textarea, select, [contenteditable]') === null;
}

export function useKeys(actions: KeyActions): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = actions[event.key];
      if (action === undefined || !isForUs(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [actions]);
}
