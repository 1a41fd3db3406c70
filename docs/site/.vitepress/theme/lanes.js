// A lane is a detector in one reading, or a profile, with the configuration that a person gave it, if any.
export function allLanes({ detectors, profiles }) {
  const own = detectors.flatMap((d) =>
    d.readings.map((reading) => ({
      name: d.readings.length > 1 ? `${d.id} (${reading})` : d.id,
      title: d.title,
      detector: d.id,
      observes: d.observes,
      reading,
      on: true,
      settings:
        d.id === "composed"
          ? rungsOf([{ name: "rule", rungs: [{ name: "rung", at: 3 }] }])
          : d.settings.filter((s) => s.reading === reading).map((s) => ({ ...s, path: [s.name] })),
    })),
  );
  const others = profiles.map((p) => {
    const base = detectors.find((d) => d.id === p.detector);
    const { config } = p;
    return {
      name: `@${p.id}`,
      title: p.title,
      detector: p.detector,
      observes: base.observes,
      reading: "code",
      profile: p.id,
      on: false,
      usual: config,
      settings:
        p.detector === "composed"
          ? rungsOf(config.rules)
          : base.settings.map((s) => ({ ...s, default: config[s.name] ?? s.default, path: [s.name] })),
    };
  });
  return [...own, ...others].map((lane) => ({ config: undefined, ...lane }));
}

// rungsOf returns the thresholds of rules of composed, each with its place in the configuration.
function rungsOf(rules) {
  return rules.flatMap((rule, i) =>
    (rule.rungs ?? [{}]).map((rung, k) => ({
      name: `${rule.name ?? i + 1} ${rung.name ?? k + 1}`,
      path: ["rules", i, "rungs", k, "at"],
      least: 1,
      default: rung.at ?? 3,
      doc: "The count at which the rung is reached.",
    })),
  );
}

// asked returns the lane as the reference takes it.
export function asked({ detector, reading, config, usual }) {
  const given = config ?? usual;
  return { detector, reading, ...(given !== undefined && { config: given }) };
}

// linked returns the lane as an address holds it: by its profile, and with the configuration that was changed only.
export function linked({ detector, reading, config, profile }) {
  return { detector, reading, ...(config && { config }), ...(profile && { profile }) };
}

const inside = (config, path) => path.reduce((at, name) => at?.[name], config);

// valueOf returns the number that a setting has; undefined where it has none. A link may say anything of a setting:
// what is no number, the reference refuses.
export function valueOf(lane, setting) {
  const value = inside(lane.config ?? lane.usual, setting.path) ?? setting.default;
  return typeof value === "number" ? value : undefined;
}

// moved returns the lane's configuration with another value of a setting. What cannot hold the setting is replaced.
export const moved = (lane, setting, value) => put(lane.config ?? lane.usual, setting.path, value);

function put(at, [name, ...path], value) {
  if (name === undefined) return value;
  const isList = typeof name === "number";
  const copy = isList ? (Array.isArray(at) ? [...at] : []) : isObject(at) ? { ...at } : {};
  copy[name] = put(copy[name], path, value);
  return copy;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// take switches on the lanes that a link names, and returns the names of those that the page does not have.
export function take(lanes, named) {
  const same = (a, b) => a.detector === b.detector && a.reading === b.reading && (a.profile ?? "") === (b.profile ?? "");
  for (const lane of lanes) {
    const given = named.find((other) => same(other, lane));
    lane.on = given !== undefined;
    lane.config = given?.config ?? undefined;
  }
  const missing = named.filter((other) => !lanes.some((lane) => same(other, lane)));
  return missing.map(({ detector, reading, profile }) => (profile ? `@${profile}` : `${detector} (${reading})`));
}

// most is where a slider ends.
export const most = (s) => (s.percent ? 100 : Math.max(20, 3 * (s.default ?? 1)));
