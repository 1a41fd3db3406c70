// A lane is a detector in one reading, or a profile of composed, with the configuration that a person gave it, if any.
export function allLanes({ detectors, profiles }) {
  const own = detectors.flatMap((d) =>
    d.readings.map((reading) => ({
      name: d.readings.length > 1 ? `${d.id} (${reading})` : d.id,
      title: d.title,
      detector: d.id,
      reading,
      on: true,
      settings:
        d.id === "composed"
          ? rungsOf([{ name: "rule", rungs: [{ name: "rung", at: 3 }] }])
          : d.settings.filter((s) => s.reading === reading).map((s) => ({ ...s, path: [s.name] })),
    })),
  );
  const others = profiles.map((p) => ({
    name: `@${p.id}`,
    title: p.title,
    detector: "composed",
    reading: "code",
    profile: p.id,
    on: false,
    usual: p.config,
    settings: rungsOf(p.config.rules),
  }));
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
  return { detector, reading, ...((config ?? usual) && { config: config ?? usual }) };
}

// linked returns the lane as an address holds it: by its profile, and with the configuration that was changed only.
export function linked({ detector, reading, config, profile }) {
  return { detector, reading, ...(config && { config }), ...(profile && { profile }) };
}

const inside = (config, path) => path.reduce((at, name) => at?.[name], config);

// valueOf returns the value of a setting; undefined where it has none.
export const valueOf = (lane, setting) => inside(lane.config ?? lane.usual, setting.path) ?? setting.default;

// moved returns the lane's configuration with another value of a setting.
export function moved(lane, setting, value) {
  const config = JSON.parse(JSON.stringify(lane.config ?? lane.usual ?? {}));
  let at = config;
  setting.path.slice(0, -1).forEach((name, i) => (at = at[name] ??= typeof setting.path[i + 1] === "number" ? [] : {}));
  at[setting.path.at(-1)] = value;
  return config;
}

// most is where a slider ends.
export const most = (s) => (s.percent ? 100 : Math.max(20, 3 * (s.default ?? 1)));
