/**
 * What a JSON merge patch (RFC 7396) makes of `target`. Nothing is changed in place: what the patch does
 * not touch is shared with the old value.
 *
 * @param {any} target
 * @param {any} patch
 * @returns {any}
 */
export function applyPatch(target, patch) {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete merged[key];
    } else {
      // Defined rather than assigned, so that a member called __proto__ is a member like any other.
      const inner = applyPatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value);
      Object.defineProperty(merged, key, { value: inner, enumerable: true, writable: true, configurable: true });
    }
  }
  return merged;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
