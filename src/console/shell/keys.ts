/** Keys that work on every page, and those of the page that is shown. */
import { useEffect } from 'react';

export type KeyActions = Readonly<Record<string, () => void>>;

/** Typing into a field, and keys together with Ctrl, Alt or Meta, are not for us. */
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
