"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // Theme: the system's, until the button is pressed.
  const root = document.documentElement, themeButton = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let theme = system.matches ? "dark" : "light";
  const showTheme = () => {
    root.dataset.theme = theme;
    themeButton.textContent = theme === "dark" ? "Light" : "Dark";
    themeButton.setAttribute("aria-label", "Switch to " + themeButton.textContent.toLowerCase() + " colours");
  };
  showTheme();

  // Data: numbers are packed; names are only inserted as text, never as HTML.
  const data = JSON.parse(byId("points").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const all = { positions: new Float32Array(bytes(data.positions)), degrees: new Int32Array(bytes(data.degrees)) };
  const places = new Float32Array(bytes(data.map)), edges = new Int32Array(bytes(data.edges));
  const meanDegree = all.degrees.reduce((sum, degree) => sum + degree, 0) / all.degrees.length || 1;
  const codes = data.codes.map((text) => new Int32Array(bytes(text)));
  const n = data.count, d = data.columns.length;
  // Of several networks, the one that is shown; a vertex that it does not have is at NaN.
  let network = 0, positions = all.positions, degrees = all.degrees;
  const select = (k) => {
    positions = all.positions.subarray(k * n * d, (k + 1) * n * d); degrees = all.degrees.subarray(k * n, (k + 1) * n);
  };
  const finite = (values) => values.filter((v) => !Number.isNaN(v)).sort();

  // The colours of the plots; in the dark theme they are lighter, the darkest most.
  const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const colourOf = (k) => {
    const hex = data.colours[Number(colour.value)].shades[k];
    if (theme === "light") return hex;
    const [r, g, b] = parts(hex), share = 0.15 + 0.6 * (1 - (0.3 * r + 0.59 * g + 0.11 * b) / 255) ** 3;
    return "#" + [r, g, b].map((v) => Math.round(v + (255 - v) * share).toString(16).padStart(2, "0")).join("");
  };

  // As in the plots, eight classes have one shape; null is a circle, others are corners around (0, 0).
  const ring = (count, turn, depth) => Array.from({ length: count }, (_, i) => {
    const angle = 6.2832 * (i / count + turn), radius = depth && i % 2 ? depth : 1.3;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });
  const plus = [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4]];
  const shapes = [
    null, ring(4, 0.125), ring(3, 0), ring(4, 0), ring(3, 0.5),
    [...plus, ...plus.map(([x, y]) => [-x, -y])], ring(10, 0, 0.55), ring(3, 0.75),
  ];
  const cross = shapes[5].map(([x, y]) => [0.7 * (x - y), 0.7 * (x + y)]);
  // New vertices are crosses; known ones without a class are circles.
  const shapeOf = (k) => {
    const { classes, levels } = data.colours[Number(colour.value)];
    if (k < classes) return shapes[Math.floor(k / 8) % shapes.length];
    return levels[k] === "new vertex" ? cross : null;
  };

  const canvas = byId("canvas"), tip = byId("tip"), said = byId("said"), legend = byId("legend");
  const pen = canvas.getContext("2d");
  const axisX = byId("axis-x"), axisY = byId("axis-y"), colour = byId("colour");
  const scale = byId("scale"), scaled = byId("scaled");
  const mapped = () => scale.value === "map";
  axisX.value = "0"; axisY.value = "1";
  const view = { x: 0, y: 0, scaleX: 1, scaleY: 1 };
  let hidden = new Set(), chosen = -1, width = 0, height = 0, pending = false;
  // A random order, so that no class is always drawn below the others.
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1, seed = 1; i > 0; i--) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const j = seed % (i + 1), kept = order[i];
    order[i] = order[j]; order[j] = kept;
  }

  // The coordinates that are drawn.
  let across = new Float64Array(n), up = new Float64Array(n), each = [];
  const column = (axis) => Float64Array.from({ length: n }, (_, i) => positions[i * d + axis]);
  const ranks = (values) => {
    const sorted = finite(values), place = new Map([[NaN, [NaN, NaN]]]);
    sorted.forEach((v, i) => { const seen = place.get(v); if (seen) seen[1] = i; else place.set(v, [i, i]); });
    return values.map((v) => { const [first, last] = place.get(v); return (first + last + 1) / (2 * sorted.length); });
  };
  const compute = () => {
    const [x, y] = [Number(axisX.value), Number(axisY.value)];
    axisX.parentElement.hidden = axisY.parentElement.hidden = mapped();
    if (mapped()) {
      across = Float64Array.from({ length: n }, (_, i) => places[2 * i]);
      up = Float64Array.from({ length: n }, (_, i) => places[2 * i + 1]);
      return;
    }
    across = column(x); up = column(y);
    if (scale.value === "ranks") { across = ranks(across); up = ranks(up); }
    if (scale.value === "unit") {
      const used = Math.min(data.dimensions, Math.max(4, x + 1, y + 1));
      for (let i = 0; i < n; i++) {
        let square = 0;
        for (let k = 0; k < used; k++) square += positions[i * d + k] ** 2;
        const length = Math.sqrt(square) || 1;
        across[i] /= length; up[i] /= length;
      }
    }
  };
  const screenX = (i) => (across[i] - view.x) * view.scaleX;
  const screenY = (i) => height - (up[i] - view.y) * view.scaleY;
  const level = (i) => codes[Number(colour.value)][i];

  const range = (values) => {
    const sorted = finite(values), quantile = (q) => sorted[Math.round(q * (sorted.length - 1))];
    let low = sorted[0], high = sorted[sorted.length - 1];
    const inner = quantile(0.995) - quantile(0.005), cut = !mapped() && inner > 0 && high - low > 2 * inner;
    if (cut) { low = quantile(0.005); high = quantile(0.995); }
    const width = high - low || 1;
    return [low - 0.05 * width, 1.1 * width, cut];
  };
  const switchTo = (k) => { network = k; select(k); [across, up] = each[k]; };
  const fit = () => {
    each = data.networks.map((_, k) => { select(k); compute(); return [across, up]; });
    switchTo(network);
    const whole = (axis) => Float64Array.from(each.flatMap((pair) => Array.from(pair[axis])));
    let [left, wide, cutX] = range(whole(0)), [bottom, tall, cutY] = range(whole(1));
    view.x = left; view.y = bottom; view.scaleX = width / wide; view.scaleY = height / tall;
    const done = [];
    if (mapped()) {
      // One scale for both coordinates.
      const smallest = Math.min(view.scaleX, view.scaleY);
      view.x += (wide - width / smallest) / 2; view.y += (tall - height / smallest) / 2;
      view.scaleX = view.scaleY = smallest;
      cutX = cutY = false;
      done.push("Vertices of like edges are near; the gaps between groups, and directions, have no meaning.");
      if (data.drawn) done.push("Of the edges, " + data.drawn + ".");
    }
    if (scale.value === "unit") {
      const used = Math.max(4, Number(axisX.value) + 1, Number(axisY.value) + 1);
      const which = used < data.dimensions ? "Rows of the first " + used + " dimensions" : "Rows";
      done.push(which + " are scaled to unit length.");
    }
    if (scale.value === "ranks") done.push("Positions are the ranks of the coordinates.");
    if (cutX || cutY) {
      let outside = 0;
      for (const [xs, ys] of each) for (let i = 0; i < n; i++) {
        if (xs[i] < left || xs[i] > left + wide || ys[i] < bottom || ys[i] > bottom + tall) outside++;
      }
      const what = each.length > 1 ? " positions" : " vertices";
      done.push("The axes end at the 0.5 % and 99.5 % quantiles; zoom out to see the " + outside + what + " outside.");
    }
    scaled.textContent = done.join(" ");
  };

  const ticks = (low, span, pixels) => {
    const raw = span / Math.max(2, pixels / 90), unit = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= raw), found = [];
    for (let k = Math.ceil(low / step); k * step <= low + span; k++) found.push(k * step);
    return [found, Math.max(0, Math.min(12, -Math.floor(Math.log10(step))))];
  };

  const draw = () => {
    pending = false;
    const style = getComputedStyle(root), ratio = devicePixelRatio || 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = style.getPropertyValue("--soft"); pen.strokeStyle = style.getPropertyValue("--rule");
    const none = [[], 0];
    const [acrossTicks, acrossDigits] = mapped() ? none : ticks(view.x, width / view.scaleX, width);
    const [upTicks, upDigits] = mapped() ? none : ticks(view.y, height / view.scaleY, height);
    pen.beginPath();
    for (const t of acrossTicks) { const x = (t - view.x) * view.scaleX; pen.moveTo(x, 0); pen.lineTo(x, height); }
    for (const t of upTicks) { const y = height - (t - view.y) * view.scaleY; pen.moveTo(0, y); pen.lineTo(width, y); }
    pen.globalAlpha = 0.5; pen.stroke(); pen.globalAlpha = 1;
    // As in the plots: smaller and fainter the more points there are.
    const many = mapped() ? 0.03 * width * height / n : 500 / Math.sqrt(n);
    const size = Math.sqrt(Math.min(25, Math.max(mapped() ? 1.5 : 4, many)));
    pen.globalAlpha = Math.min(0.85, Math.max(0.5, 0.85 - 0.19 * (Math.log10(n) - 3)));
    const shades = data.colours[Number(colour.value)].levels.map((_, k) => colourOf(k));
    if (mapped()) drawEdges(shades, style);
    let last = -1;
    for (const i of order) {
      const k = level(i);
      if (hidden.has(k) || i >= data.known) continue;
      const x = screenX(i), y = screenY(i);
      if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      if (k !== last) { pen.fillStyle = shades[k]; last = k; }
      if (mapped() && size >= 1.7) {
        const radius = size * Math.min(1.6, Math.max(0.75, (degrees[i] / meanDegree) ** 0.25));
        pen.beginPath(); pen.arc(x, y, radius, 0, 6.2832); pen.fill();
      } else if (size < 1.7) pen.fillRect(x - size / 2, y - size / 2, size, size);
      else {
        const corners = shapeOf(k);
        pen.beginPath();
        if (corners) for (const [a, b] of corners) pen.lineTo(x + size * a, y + size * b);
        else pen.arc(x, y, size, 0, 6.2832);
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
    drawNew(shades, style);
    writeNames();
    pen.font = "12px system-ui, sans-serif"; pen.fillStyle = style.getPropertyValue("--soft");
    for (const t of acrossTicks) pen.fillText(t.toFixed(acrossDigits), (t - view.x) * view.scaleX + 3, height - 4);
    for (const t of upTicks) pen.fillText(t.toFixed(upDigits), 4, height - (t - view.y) * view.scaleY - 3);
    if (chosen >= 0) {
      pen.strokeStyle = style.getPropertyValue("--ink"); pen.globalAlpha = 0.5;
      // The path of the vertex through all networks, interrupted where it is absent.
      let joined = false;
      pen.beginPath();
      for (const [xs, ys] of each) {
        const x = (xs[chosen] - view.x) * view.scaleX, y = height - (ys[chosen] - view.y) * view.scaleY;
        if (joined) pen.lineTo(x, y); else pen.moveTo(x, y);
        joined = !Number.isNaN(x);
      }
      pen.stroke(); pen.globalAlpha = 1; pen.lineWidth = 2.5;
      pen.beginPath(); pen.arc(screenX(chosen), screenY(chosen), 9, 0, 6.2832); pen.stroke(); pen.lineWidth = 1;
    }
  };
  // Edges within a class have its colour, and others are grey; one path for each colour, since paths take the time.
  const drawEdges = (shades, style) => {
    const { classes } = data.colours[Number(colour.value)], paths = new Map(), dots = pen.globalAlpha;
    for (let e = 0; e < edges.length; e += 2) {
      const i = edges[e], j = edges[e + 1], k = level(i);
      if (hidden.has(k) || hidden.has(level(j))) continue;
      const shade = k === level(j) && k < classes ? shades[k] : style.getPropertyValue("--soft");
      if (!paths.has(shade)) paths.set(shade, new Path2D());
      paths.get(shade).moveTo(screenX(i), screenY(i)); paths.get(shade).lineTo(screenX(j), screenY(j));
    }
    pen.lineWidth = 0.6; pen.globalAlpha = Math.max(0.08, Math.min(0.5, 18 / Math.sqrt(edges.length + 1)));
    for (const [shade, path] of paths) { pen.strokeStyle = shade; pen.stroke(path); }
    pen.lineWidth = 1; pen.globalAlpha = dots;
  };
  // New vertices are above the others: crosses with an edge and a halo, smaller if there are many.
  const drawNew = (shades, style) => {
    const size = Math.max(2.2, Math.min(5, 14 / (n - data.known) ** 0.25));
    for (let i = data.known; i < n; i++) {
      const k = level(i), x = screenX(i), y = screenY(i);
      if (hidden.has(k) || x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      pen.beginPath();
      if (mapped()) pen.arc(x, y, size + 1, 0, 6.2832);
      else for (const [a, b] of cross) pen.lineTo(x + size * a, y + size * b);
      pen.closePath();
      for (const [line, ink] of [[2.6, "--ground"], [1, "--ink"]]) {
        pen.lineWidth = line; pen.strokeStyle = style.getPropertyValue(ink); pen.stroke();
      }
      pen.fillStyle = shades[k]; pen.fill();
    }
    pen.lineWidth = 1;
  };
  // As in the plots, the names of classes are written where their points are densest; in a map always.
  const cells = 16, lineHeight = 15;
  const writeNames = () => {
    const { levels, classes } = data.colours[Number(colour.value)];
    if (classes <= 8 && !mapped()) return;
    const size = cells + 2, square = size * size, sums = new Float64Array(3 * classes * square);
    for (let i = 0; i < n; i++) {
      const k = level(i), x = screenX(i), y = screenY(i);
      if (k >= classes || hidden.has(k) || x < 0 || y < 0 || x >= width || y >= height) continue;
      const row = Math.floor(cells * y / height) + 1, across = Math.floor(cells * x / width) + 1;
      const at = 3 * (k * square + row * size + across);
      sums[at] += 1; sums[at + 1] += x; sums[at + 2] += y;
    }
    const found = [];
    for (let k = 0; k < classes; k++) {
      let best = [0, 0, 0];
      for (let row = 1; row <= cells; row++) for (let across = 1; across <= cells; across++) {
        const near = [0, 0, 0];
        for (let a = -1; a <= 1; a++) for (let b = -1; b <= 1; b++) {
          const at = 3 * (k * square + (row + a) * size + across + b);
          for (let part = 0; part < 3; part++) near[part] += sums[at + part];
        }
        if (near[0] > best[0]) best = near;
      }
      if (best[0]) found.push({ k, count: best[0], x: best[1] / best[0], y: best[2] / best[0] });
    }
    found.sort((a, b) => b.count - a.count || a.k - b.k);
    const taken = [], style = getComputedStyle(root);
    pen.font = "bold 12px system-ui, sans-serif"; pen.textBaseline = "middle"; pen.lineJoin = "round";
    for (const { k, x, y } of found) {
      const name = levels[k].length > 30 ? levels[k].slice(0, 29) + "…" : levels[k];
      const half = pen.measureText(name).width / 2 + 1;
      const left = Math.max(half, Math.min(width - half, x));
      for (let step = 0; step < 32; step++) {
        const up = y + (step % 2 ? 1 : -1) * Math.ceil(step / 2) * lineHeight / 2;
        if (up < lineHeight / 2 || up > height - lineHeight / 2) continue;
        if (taken.some((t) => Math.abs(t.x - left) < t.half + half && Math.abs(t.y - up) < lineHeight)) continue;
        taken.push({ x: left, y: up, half });
        pen.strokeStyle = style.getPropertyValue("--ground"); pen.lineWidth = 4;
        pen.strokeText(name, left - half + 1, up);
        pen.fillStyle = readable(colourOf(k));
        pen.fillText(name, left - half + 1, up);
        break;
      }
    }
    pen.lineWidth = 1; pen.textBaseline = "alphabetic";
  };
  // A colour in which text can be read: darkened in the light theme.
  const readable = (hex) => {
    if (theme === "dark") return hex;
    const rgb = parts(hex), light = [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => sum + w * (rgb[i] / 255) ** 2.2, 0);
    const share = Math.min(1, (0.16 / Math.max(light, 1e-9)) ** (1 / 2.2));
    return "rgb(" + rgb.map((v) => Math.round(share * v)).join(",") + ")";
  };
  const redraw = () => { if (!pending) { pending = true; requestAnimationFrame(draw); } };

  const describe = (i) => {
    const parts = data.colours.map((c, k) => c.name + " " + c.levels[codes[k][i]]);
    return [data.names[i], ...parts, Number.isNaN(across[i]) ? "absent" : "degree " + degrees[i]];
  };
  const choose = (i, aloud) => {
    chosen = i;
    tip.hidden = i < 0;
    if (i >= 0) {
      const text = describe(i), x = screenX(i), y = screenY(i);
      tip.textContent = text.join("\n");
      tip.style.left = Math.max(0, Math.min(x + 12, width - tip.offsetWidth - 4)) + "px";
      tip.style.top = Math.max(0, Math.min(y + 12, height - tip.offsetHeight - 4)) + "px";
      if (aloud) said.textContent = text.join(", ");
    }
    redraw();
  };
  const nearest = (x, y, reach) => {
    let best = -1, least = reach * reach;
    for (let i = 0; i < n; i++) {
      if (hidden.has(level(i))) continue;
      const dx = screenX(i) - x, dy = screenY(i) - y, distance = dx * dx + dy * dy;
      if (distance < least) { least = distance; best = i; }
    }
    return best;
  };
  const zoom = (factor, x, y) => {
    const dataX = view.x + x / view.scaleX, dataY = view.y + (height - y) / view.scaleY;
    view.scaleX *= factor; view.scaleY *= factor;
    view.x = dataX - x / view.scaleX; view.y = dataY - (height - y) / view.scaleY;
    choose(chosen, false);
  };
  const centre = (factor) => zoom(factor, width / 2, height / 2);
  const reset = () => { fit(); choose(-1, false); said.textContent = ""; };
  const show = (i) => {
    const x = screenX(i), y = screenY(i);
    if (x < 0 || y < 0 || x > width || y > height) {
      view.x = across[i] - width / 2 / view.scaleX; view.y = up[i] - height / 2 / view.scaleY;
    }
    choose(i, true);
  };

  const fillLegend = () => {
    hidden = new Set();
    legend.replaceChildren();
    data.colours[Number(colour.value)].levels.forEach((name, k) => {
      const item = document.createElement("li"), label = document.createElement("label");
      const box = document.createElement("input"), swatch = document.createElement("span");
      box.type = "checkbox"; box.checked = true;
      box.addEventListener("change", () => { if (box.checked) hidden.delete(k); else hidden.add(k); redraw(); });
      swatch.className = "swatch"; swatch.style.background = colourOf(k);
      const corners = shapeOf(k), percent = (v) => (50 + 38 * v).toFixed(1) + "%";
      if (corners) {
        swatch.classList.add("shape");
        swatch.style.clipPath = "polygon(" + corners.map((c) => c.map(percent).join(" ")).join(",") + ")";
      }
      label.append(box, swatch, document.createTextNode(name));
      item.append(label); legend.append(item);
    });
  };
  const resize = () => {
    const old = { width, height };
    width = canvas.clientWidth; height = canvas.clientHeight;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    if (old.width) { view.scaleX *= width / old.width; view.scaleY *= height / old.height; } else fit();
    redraw();
  };

  // One finger or the mouse moves, two fingers zoom.
  const fingers = new Map();
  let moved = false, spread = 0;
  const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, place(event)); moved = false; spread = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event), old = fingers.get(event.pointerId);
    if (!old) { choose(nearest(x, y, 24), false); return; }
    fingers.set(event.pointerId, [x, y]);
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (spread) zoom(now / spread, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
      spread = now; moved = true;
    } else if (moved || Math.hypot(x - old[0], y - old[1]) > 2) {
      moved = true;
      view.x -= (x - old[0]) / view.scaleX; view.y += (y - old[1]) / view.scaleY;
      choose(chosen, false);
    }
  });
  const lift = (event) => {
    if (fingers.delete(event.pointerId) && !moved) { const [x, y] = place(event); choose(nearest(x, y, 24), true); }
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => { if (!fingers.size) choose(-1, false); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), ...place(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, ArrowUp: 1 }[event.key];
    if (step) {
      // Left and right go by the horizontal coordinate, up and down by the vertical one.
      const values = event.key === "ArrowLeft" || event.key === "ArrowRight" ? across : up;
      let best = -1;
      for (let i = 0; i < n; i++) {
        if (i === chosen || hidden.has(level(i))) continue;
        const from = chosen < 0 || Number.isNaN(values[chosen]) ? -Infinity * step : values[chosen], gap = step * (values[i] - from);
        const later = gap > 0 || (gap === 0 && step * (i - chosen) > 0);
        if (!later) continue;
        const bestGap = best < 0 ? Infinity : step * (values[best] - values[i]);
        if (bestGap > 0 || (bestGap === 0 && step * (best - i) > 0)) best = i;
      }
      if (best >= 0) show(best);
    } else if (event.key === "+" || event.key === "=") centre(1.4);
    else if (event.key === "-" || event.key === "−") centre(1 / 1.4);
    else if (event.key === "0") reset();
    else if (event.key === "Escape") choose(-1, false);
    else return;
    event.preventDefault();
  });

  byId("find").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    if (!wanted) { choose(-1, false); said.textContent = ""; return; }
    const lower = data.names.map((name) => name.toLowerCase());
    let i = lower.indexOf(wanted);
    if (i < 0) i = lower.findIndex((name) => name.startsWith(wanted));
    if (i < 0) i = lower.findIndex((name) => name.includes(wanted));
    if (i < 0) { choose(-1, false); said.textContent = "No vertex has that name."; } else show(i);
  });
  byId("zoom-in").addEventListener("click", () => centre(1.4));
  byId("zoom-out").addEventListener("click", () => centre(1 / 1.4));
  byId("reset").addEventListener("click", reset);
  for (const axis of [axisX, axisY, scale]) axis.addEventListener("change", reset);
  const setAll = (shown) => {
    legend.querySelectorAll("input").forEach((box, k) => { box.checked = shown; if (shown) hidden.delete(k); else hidden.add(k); });
    redraw();
  };
  byId("all").addEventListener("click", () => setAll(true));
  byId("none").addEventListener("click", () => setAll(false));
  colour.addEventListener("change", () => { fillLegend(); choose(chosen, false); });
  const setTheme = (name) => {
    theme = name; showTheme();
    legend.querySelectorAll(".swatch").forEach((swatch, k) => { swatch.style.background = colourOf(k); });
    redraw();
  };
  themeButton.addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
  system.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  addEventListener("resize", resize);

  fillLegend();
  resize();
  const slider = byId("network");
  if (slider) {
    const move = () => {
      const key = data.networks[Number(slider.value)];
      byId("key").textContent = key; slider.setAttribute("aria-valuetext", key);
      switchTo(Number(slider.value)); choose(chosen, false);
    };
    slider.addEventListener("input", move);
    slider.value = "0"; move();
  }
  draw();
  canvas.dataset.drawn = String(n);
})();
