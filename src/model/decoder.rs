//! The one decoder every family is computed by.
//!
//! It works on packed rows: a forward pass takes tokens of many sequences at once, and only rows
//! that are asked for get logits. What differs between families is data ([`DecoderSpec`]).

mod head;

use candle_core::{DType, Device, Result, Tensor};

use super::error::ModelError;
use super::kv_store::KvStore;
use super::layer::Layer;
use super::names::TensorNames;
use super::norm::Norm;
use super::projection::Projection;
use super::read_rows::ReadRows;
use super::rotary_table::RotaryTable;
use super::rows::{GivenRows, Rows, Run, Segment};
use super::sinusoids::sinusoids;
use super::spec::{DecoderSpec, LayerSpec, LearnedPositions, Reach, RotarySpec};
use super::timings::{Operation, no_product, timed};
use super::weights::ParameterSource;
use crate::ops::embedding::embedding;
use crate::ops::experts::gather;
use crate::ops::host;
use crate::ops::kv::KvShape;
use crate::ops::linear::{Residual, Weight};
use crate::ops::rotary::Angles;

/// A decoder whose parameters are loaded.
#[derive(Clone, Debug)]
pub struct Decoder {
    spec: DecoderSpec,
    embedding: Weight,
    /// From the embedding's width to the stream's, and from there to the head's.
    bridges: Option<(Projection, Projection)>,
    /// A row for every position, after those of the offset.
    positions: Option<(LearnedPositions, Weight)>,
    embedding_norm: Option<Norm>,
    layers: Vec<Layer>,
    /// Where each layer is.
    layer_devices: Vec<Device>,
    /// Which of `rotaries` each layer uses.
    layer_rotary: Vec<Option<usize>>,
    /// Every distinct rotary embedding, for sequences of either reach.
    rotaries: Vec<[RotaryTable; 2]>,
    final_norm: Norm,
    head_weight: Weight,
    head_bias: Option<Tensor>,
    device: Device,
    dtype: DType,
}

impl Decoder {
    /// Takes a decoder's parameters from `source`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        spec: &DecoderSpec,
        names: &TensorNames,
    ) -> std::result::Result<Self, ModelError> {
        let table = (format!("{}.weight", names.embedding), spec.vocabulary_size);
        let embedding_size = spec.embedding_size.unwrap_or(spec.hidden_size);
        let embedding = source.weight(&[table], embedding_size)?;
        let bridges = if spec.embedding_size.is_some() {
            let map = |name, from, to| Projection::load(source, name, from, to, false);
            Some((
                map(names.embedding_out, embedding_size, spec.hidden_size)?,
                map(names.head_in, spec.hidden_size, embedding_size)?,
            ))
        } else {
            None
        };
        let positions = match spec.learned_positions {
            None => None,
            Some(learned) => {
                let rows = learned.offset + learned.count;
                let table = (format!("{}.weight", names.positions), rows);
                Some((learned, source.weight(&[table], spec.hidden_size)?))
            }
        };
        let embedding_norm = spec
            .embedding_norm
            .map(|norm| Norm::load(source, names.embedding_norm, norm, spec.hidden_size))
            .transpose()?;
        let mut layer_devices = Vec::with_capacity(spec.layers.len());
        let layers = spec
            .layers
            .iter()
            .enumerate()
            .map(|(number, layer)| {
                let prefix = format!("{}.{number}", names.layers);
                let own = source.of_layer(number);
                layer_devices.push(own.device().clone());
                Layer::load(own, &prefix, &names.layer, layer, spec.hidden_size)
            })
            .collect::<std::result::Result<_, _>>()?;
        source.of_no_layer();
        let final_norm = Norm::load(source, names.final_norm, spec.final_norm, spec.hidden_size)?;
        let head_weight = if spec.head.tied {
            embedding.clone()
        } else {
            let table = (format!("{}.weight", names.head), spec.vocabulary_size);
            source.weight(&[table], embedding_size)?
        };
        let head_bias = if spec.head.bias {
            Some(source.parameter(&format!("{}.bias", names.head), &[spec.vocabulary_size])?)
        } else {
            None
        };

        let mut distinct: Vec<&RotarySpec> = Vec::new();
        let layer_rotary = spec
            .layers
            .iter()
            .map(|layer| {
                let rotary = layer.attention.rotary.as_ref()?;
                Some(distinct.iter().position(|known| *known == rotary).unwrap_or_else(|| {
                    distinct.push(rotary);
                    distinct.len() - 1
                }))
            })
            .collect();
        let context_tokens = spec.context_tokens;
        let of_reach =
            |reach| move |rotary: &RotarySpec| RotaryTable::new(rotary, reach, context_tokens);
        let (native, stretched) = (of_reach(Reach::Native), of_reach(Reach::Stretched));
        let rotaries =
            distinct.into_iter().map(|rotary| [native(rotary), stretched(rotary)]).collect();
        Ok(Self {
            spec: spec.clone(),
            embedding,
            bridges,
            positions,
            embedding_norm,
            layers,
            layer_devices,
            layer_rotary,
            rotaries,
            final_norm,
            head_weight,
            head_bias,
            device: source.device().clone(),
            dtype: source.dtype(),
        })
    }

    /// What this decoder computes.
    pub fn spec(&self) -> &DecoderSpec {
        &self.spec
    }

    /// Where its parameters are, or of a model on several devices what is no layer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The type it computes in.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The devices of the layers, each with how many it has.
    pub fn layers_by_device(&self) -> Vec<(&Device, usize)> {
        let mut found: Vec<(&Device, usize)> = Vec::new();
        for device in &self.layer_devices {
            match found.iter_mut().find(|(known, _)| known.same_device(device)) {
                Some((_, layers)) => *layers += 1,
                None => found.push((device, 1)),
            }
        }
        found
    }

    /// An empty store for the keys and values of sequences of one [`Reach`], with blocks of `block_tokens` tokens.
    pub fn kv_store(&self, block_tokens: usize, reach: Reach) -> Result<KvStore> {
        let shapes: Vec<KvShape> = self
            .spec
            .layers
            .iter()
            .map(|LayerSpec { attention, .. }| KvShape {
                heads: attention.key_value_heads,
                key_size: attention.head_size,
                value_size: attention.value_size(),
            })
            .collect();
        KvStore::new(&shapes, block_tokens, reach, &self.layer_devices, self.dtype)
    }

    /// The residual stream after the last layer, `(rows that are read, hidden size)`.
    ///
    /// `kv_store` takes up the rows' keys and values; every block the rows name must be there.
    pub fn hidden(&self, rows: &Rows<'_>, kv_store: &mut KvStore) -> Result<Tensor> {
        self.forward(rows, kv_store, |_, _| Ok(true))
    }

    /// The residual stream after the last layer for `ids`, one whole sequence with nothing before it.
    pub fn hidden_alone(&self, ids: &[u32]) -> Result<Tensor> {
        self.forward_alone(ids, |_, _| Ok(true))
    }

    /// The same after the last norm: what a head would read, and the vectors of an encoder that is a language model.
    pub fn normed_alone(&self, ids: &[u32]) -> Result<Tensor> {
        self.final_norm.forward(&self.hidden_alone(ids)?)
    }

    /// The first layer whose output for `ids`, a whole sequence, has a number that is not finite.
    ///
    /// For finding the cause once a score turned out not to be finite.
    pub fn first_broken_layer(&self, ids: &[u32]) -> Result<Option<usize>> {
        let mut broken = None;
        self.forward_alone(ids, |number, stream| {
            let finite =
                host::read(stream, |numbers| numbers.iter().all(|number| number.is_finite()))?;
            if !finite {
                broken = Some(number);
            }
            Ok(broken.is_none())
        })?;
        Ok(broken)
    }

    /// As [`Self::forward`], for one whole sequence and a store of its own.
    fn forward_alone(
        &self,
        ids: &[u32],
        watch: impl FnMut(usize, &Tensor) -> Result<bool>,
    ) -> Result<Tensor> {
        let mut kv_store = self.kv_store(KvStore::BLOCK_TOKENS, self.spec.reach(ids.len()))?;
        let blocks = ids.len().div_ceil(kv_store.block_tokens());
        kv_store.grow(blocks)?;
        let positions: Vec<u32> = (0..ids.len() as u32).collect();
        let block_tokens = kv_store.block_tokens() as u32;
        let table = (0..blocks as u32)
            .map(|block| Run {
                block,
                tokens: block_tokens.min(ids.len() as u32 - block * block_tokens),
            })
            .collect();
        let segments = [Segment::causal(0..ids.len(), table)];
        // Blocks are filled in order, so a token's slot is its position.
        let rows = Rows::of_tokens(ids, &positions, &positions, &segments);
        self.forward(&rows, &mut kv_store, watch)
    }

    /// Runs the layers for as long as `watch`, shown each layer's number and output, agrees.
    fn forward(
        &self,
        rows: &Rows<'_>,
        kv_store: &mut KvStore,
        mut watch: impl FnMut(usize, &Tensor) -> Result<bool>,
    ) -> Result<Tensor> {
        let mut stream = self.embedded(rows)?;
        let mut device = &self.device;
        let mut angles = self.angles(rows, kv_store.reach(), device)?;
        let mut read_rows = rows.read.filter(|read| read.len() < rows.ids.len());
        let has_added = |number| rows.given.iter().any(|given| given.added.len() > number);
        for (number, (layer, rotary)) in self.layers.iter().zip(&self.layer_rotary).enumerate() {
            if !device.same_device(&self.layer_devices[number]) {
                device = &self.layer_devices[number];
                stream = moved(&stream, device)?;
                angles = self.angles(rows, kv_store.reach(), device)?;
            }
            let angles = rotary.and_then(|index| angles.get(index));
            // A device waits longer for two more launches than for rows that nobody reads.
            let read = if number + 1 == self.layers.len() && device.is_cpu() && !has_added(number) {
                read_rows.take().map(|read| ReadRows::of(rows, read))
            } else {
                None
            };
            stream =
                layer.forward(&stream, rows, read.as_ref(), angles, kv_store.layer(number)?)?;
            if has_added(number) {
                stream = GivenRows::put(rows.given, &stream, |given, own| {
                    given.added.get(number).map_or_else(
                        || Ok(own.clone()),
                        |added| own + added.to_device(own.device())?.to_dtype(own.dtype())?,
                    )
                })?;
            }
            if !watch(number, &stream)? {
                break;
            }
        }
        let stream = moved(&stream, &self.device)?;
        read_rows.map_or(Ok(stream.clone()), |read| gather(&stream, read))
    }

    /// What the layers on `device` turn queries and keys by, for each rotary embedding.
    fn angles<'r>(
        &self,
        rows: &Rows<'r>,
        reach: Reach,
        device: &Device,
    ) -> Result<Vec<Angles<'r>>> {
        let of_reach = |[native, stretched]: &[RotaryTable; 2]| {
            let table = match reach {
                Reach::Native => native,
                Reach::Stretched => stretched,
            };
            table.of_rows(rows, device, self.dtype)
        };
        timed(Operation::Rotary, no_product, || self.rotaries.iter().map(of_reach).collect())
    }

    /// The rows' tokens as vectors, with their positions where these are vectors too.
    fn embedded(&self, rows: &Rows<'_>) -> Result<Tensor> {
        let mut stream = timed(Operation::Embedding, no_product, || {
            embedding(rows.ids, &self.embedding, self.spec.embedding_scale)
        })?;
        if !rows.given.is_empty() {
            stream = GivenRows::put(rows.given, &stream, |given, own| {
                given.rows.to_device(own.device())?.to_dtype(own.dtype())
            })?;
        }
        if let Some((out, _)) = &self.bridges {
            let flops = || out.flops(rows.ids.len());
            stream = timed(Operation::Embedding, flops, || out.forward(&stream, None))?;
        }
        if let Some(norm) = &self.embedding_norm {
            stream = norm.forward(&stream)?;
        }
        if let Some((learned, table)) = &self.positions {
            let offset = learned.offset as u32;
            let places: Vec<u32> = rows.positions.iter().map(|place| place + offset).collect();
            stream = timed(Operation::Embedding, no_product, || {
                let positions = embedding(&places, table, None)?;
                Residual::of(&stream).add(positions)
            })?;
        }
        if let Some(sinusoidal) = self.spec.sinusoidal_positions {
            stream = timed(Operation::Embedding, no_product, || {
                let (width, device) = (self.spec.hidden_size, &self.device);
                let positions = sinusoids(sinusoidal, rows.positions, width, device, self.dtype)?;
                Residual::of(&stream).add(positions)
            })?;
        }
        Ok(stream)
    }
}

/// The stream on another device, by way of the host, which every pair of devices has.
fn moved(stream: &Tensor, device: &Device) -> Result<Tensor> {
    if stream.device().same_device(device) {
        return Ok(stream.clone());
    }
    stream.to_device(&Device::Cpu)?.to_device(device)
}
